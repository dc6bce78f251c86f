// Reads the packed corpus; the assembler puts it into the binary.
#include "parser/vectors.h"

#include <algorithm>

#define AOTI_CTS_EMBED(symbol, path)                                                         \
  asm(".pushsection .rodata\n.balign 16\n.hidden " #symbol "\n.global " #symbol "\n" #symbol \
      ":\n.incbin \"" path "\"\n.hidden " #symbol "_end\n.global " #symbol "_end\n" #symbol  \
      "_end:\n.byte 0\n.popsection\n")

AOTI_CTS_EMBED(aoti_cts_vectors_json, AOTI_CTS_VECTORS_DIR "/vectors.json");
AOTI_CTS_EMBED(aoti_cts_vectors_bin, AOTI_CTS_VECTORS_DIR "/vectors.bin");

extern "C" {
extern const uint8_t aoti_cts_vectors_json[];
extern const uint8_t aoti_cts_vectors_json_end[];
extern const uint8_t aoti_cts_vectors_bin[];
}

namespace aoti_cts::parser {
namespace {

using nlohmann::json;

Vector read_vector(const json& entry, const json& expect) {
  Vector vector;
  vector.id = entry.at("id").get<std::string>();
  vector.expect = entry.value("expect", expect);
  vector.cut = entry.contains("cut");
  vector.poked = entry.contains("byte");
  if (vector.cut) vector.at = entry.at("cut").get<uint64_t>();
  if (vector.poked) {
    vector.at = entry.at("byte").at(0).get<uint64_t>();
    vector.value = entry.at("byte").at(1).get<uint8_t>();
  }
  return vector;
}

Recipe read_recipe(const json& entry) {
  Recipe recipe;
  recipe.id = entry.at("id").get<std::string>();
  recipe.clause = entry.at("clause").get<std::string>();
  recipe.about = entry.at("about").get<std::string>();
  recipe.flags = entry.at("flags").get<std::vector<std::string>>();
  recipe.file = aoti_cts_vectors_bin + entry.at("file").at(0).get<uint64_t>();
  recipe.size = entry.at("file").at(1).get<uint64_t>();
  if (entry.contains("sound")) {
    recipe.sound = aoti_cts_vectors_bin + entry.at("sound").at(0).get<uint64_t>();
    recipe.sound_size = entry.at("sound").at(1).get<uint64_t>();
  }
  for (const json& place : entry.at("tensors")) {
    recipe.tensors.push_back({place.at(0).get<uint32_t>(), place.at(1).get<uint32_t>()});
  }
  recipe.inputs = entry.at("inputs").get<std::vector<std::vector<uint32_t>>>();
  recipe.outputs = entry.at("outputs").get<std::vector<std::vector<uint32_t>>>();
  recipe.planned = entry.at("planned").get<std::vector<uint32_t>>();
  for (const json& vector : entry.at("vectors")) {
    recipe.vectors.push_back(read_vector(vector, entry.at("expect")));
  }
  return recipe;
}

}  // namespace

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all = [] {
    std::vector<Recipe> read;
    const json index = json::parse(aoti_cts_vectors_json, aoti_cts_vectors_json_end);
    for (const json& entry : index.at("recipes")) read.push_back(read_recipe(entry));
    return read;
  }();
  return all;
}

std::vector<uint8_t> bytes_of(const Recipe& recipe, const Vector& vector) {
  std::vector<uint8_t> bytes(recipe.file, recipe.file + (vector.cut ? vector.at : recipe.size));
  if (vector.poked) bytes.at(vector.at) = vector.value;
  return bytes;
}

std::vector<uint8_t> rest_of(const Recipe& recipe, const Vector& vector, size_t most) {
  if (vector.cut) {
    const uint8_t* const rest = recipe.file + vector.at;
    return {rest, rest + std::min<uint64_t>(most, recipe.size - vector.at)};
  }
  const uint64_t size = recipe.size;
  if (recipe.sound_size <= size || !std::equal(recipe.file, recipe.file + size, recipe.sound)) {
    return {};
  }
  return {recipe.sound + size, recipe.sound + std::min(size + most, recipe.sound_size)};
}

}  // namespace aoti_cts::parser
