// What all forms of a mapping share: getters, codes, and the one that cases judge.
#include "devmap/candidate.h"

#include <fmt/format.h>

namespace aoti_cts::devmap {
namespace {

constexpr std::string_view form = "at::k";

}  // namespace

std::string cut(const std::string& text) {
  constexpr std::size_t most = 240;
  if (text.size() <= most) return text;
  return fmt::format("{}... ({} bytes)", text.substr(0, most), text.size());
}

std::string in_words(const Reply& reply) {
  switch (reply.kind) {
    case Reply::Kind::Done:
      return "done";
    case Reply::Kind::Answer:
      return fmt::format("answer '{}'", cut(reply.text));
    case Reply::Kind::NotText:
      return fmt::format("no text: {}", cut(reply.text));
    case Reply::Kind::Error:
      return fmt::format("error{}{}: {}", reply.type.empty() ? "" : " ", reply.type,
                         cut(reply.text));
    case Reply::Kind::Count:
      return fmt::format("{}", reply.count);
    case Reply::Kind::Unsupported:
      return fmt::format("unsupported: {}", reply.text);
    case Reply::Kind::Ended:
      return fmt::format("its process ended: {}", reply.text);
  }
  return "?";
}

std::string getter_of(const std::string& answer) {
  if (answer.compare(0, form.size(), form) != 0 || answer.size() == form.size()) return {};
  std::string getter = "aoti_torch_device_type_";
  for (const char ch : answer.substr(form.size())) {
    if (static_cast<unsigned char>(ch) >= 0x80) return {};
    getter += (ch >= 'A' && ch <= 'Z') ? static_cast<char>(ch - 'A' + 'a') : ch;
  }
  return getter;
}

std::optional<int32_t> device_code(const std::string& answer) {
  constexpr std::pair<std::string_view, int32_t> types[] = {
#define AOTI_DEVICE_TYPE(name, code) {"at::k" #name, code},
#include "devmap/device_types.def"
#undef AOTI_DEVICE_TYPE
  };
  for (const auto& [name, code] : types) {
    if (name == answer) return code;
  }
  return std::nullopt;
}

Subject& subject() {
  static Subject instance;
  return instance;
}

}  // namespace aoti_cts::devmap
