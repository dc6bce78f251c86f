// See payload.h.
#include "payload.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "writer.h"

namespace aoti_cts::corpus {
namespace {

using nlohmann::json;

std::vector<uint8_t> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in || bytes.empty()) throw std::runtime_error(path + ": cannot be read, or is empty");
  return bytes;
}

/// Returns how often the payload's bytes were put in.
int place(json& node, const std::vector<uint8_t>& payload) {
  if (node.is_object() && node.contains("#payload")) {
    const json what = node.at("#payload");
    if (what != "bytes" && what != "size") {
      throw std::runtime_error("#payload is " + what.dump() + R"(, must be "bytes" or "size")");
    }
    node = what == "bytes" ? json(payload) : json(payload.size());
    return what == "bytes" ? 1 : 0;
  }
  int placed = 0;
  if (node.is_structured()) {
    for (json& child : node) placed += place(child, payload);
  }
  return placed;
}

}  // namespace

void write_with_payload(const std::string& recipe, const std::string& payload,
                        const std::string& out) {
  const std::vector<uint8_t> text = read_file(recipe);
  json words = json::parse(text, nullptr, false);
  if (words.is_discarded()) throw std::runtime_error(recipe + ": is no JSON");
  if (place(words, read_file(payload)) == 0) {
    throw std::runtime_error(recipe + R"(: nowhere has {"#payload": "bytes"})");
  }
  const File file = write_program(words.at("program"), words.value("file", json::object()));
  std::ofstream to(out, std::ios::binary);
  to.write(reinterpret_cast<const char*>(file.bytes.data()),
           static_cast<std::streamsize>(file.bytes.size()));
  if (!to.flush()) throw std::runtime_error(out + ": cannot be written");
}

}  // namespace aoti_cts::corpus
