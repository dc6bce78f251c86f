// See text.h.
#include "report/text.h"

#include <fmt/format.h>
#include <fnmatch.h>

namespace aoti_cts {
namespace {

// Length of the well-formed UTF-8 sequence at the start of `text`; 0 where there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  std::size_t size = 0;
  if (first >= 0xC2 && first <= 0xDF) size = 2;
  if (first >= 0xE0 && first <= 0xEF) size = 3;
  if (first >= 0xF0 && first <= 0xF4) size = 4;
  if (size == 0 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  const unsigned second = byte(1);
  if (first == 0xE0 && second < 0xA0) return 0;                      // overlong
  if (first == 0xED && second > 0x9F) return 0;                      // surrogates
  if (first == 0xEF && second == 0xBF && byte(2) >= 0xBE) return 0;  // no characters, for XML
  if (first == 0xF0 && second < 0x90) return 0;
  if (first == 0xF4 && second > 0x8F) return 0;
  return size;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text[0]);
    std::size_t size = utf8_length(text);
    const bool control = (first < 0x20 && first != '\n' && first != '\t') || first == 0x7F;
    if (size == 0 || control) {
      out += fmt::format("\\x{:02x}", first);
      size = 1;
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return out;
}

std::string printable_line(std::string_view text) {
  std::string out;
  for (const char ch : printable(text)) {
    if (ch == '\n' || ch == '\t') {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(ch));
    } else {
      out += ch;
    }
  }
  return out;
}

std::string tail(std::string_view text, int lines, std::size_t bytes) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  if (text.size() > bytes) text.remove_prefix(text.size() - bytes);
  std::size_t start = text.size();
  while (start > 0 && lines > 0) {
    const std::size_t newline = text.rfind('\n', start - 1);
    if (--lines == 0 || newline == std::string_view::npos) {
      start = newline == std::string_view::npos ? 0 : newline + 1;
      break;
    }
    start = newline;
  }
  return std::string(text.substr(start));
}

bool glob_match(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

}  // namespace aoti_cts
