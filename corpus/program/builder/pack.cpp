// Index format, both forms: schema_version 1; new keys may appear, none changes its meaning.
#include "pack.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "recipe.h"

namespace aoti_cts::corpus {
namespace {

using nlohmann::json;

// A fuzzer's time goes with its inputs' size; the few larger ones are there for limits on numbers.
constexpr size_t most_seed_bytes = 4096;
constexpr int schema_version = 1;

void write_file(const std::filesystem::path& path, const void* data, size_t size) {
  std::ofstream out(path, std::ios::binary);
  out.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
  if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

void write_index(const std::filesystem::path& path, const json& index) {
  const std::string text = index.dump(1) + "\n";
  write_file(path, text.data(), text.size());
}

/// What a recipe says in words, for either index.
json words(const Recipe& recipe) {
  json entry;
  for (const char* key : {"about", "clause", "source", "flags"}) entry[key] = recipe.text.at(key);
  return entry;
}

json packed_vector(const Vector& vector, const json& expect) {
  json entry = {{"id", vector.id}};
  if (vector.spoil.kind == Spoil::Kind::cut) entry["cut"] = vector.spoil.at;
  if (vector.spoil.kind == Spoil::Kind::byte) entry["byte"] = {vector.spoil.at, vector.spoil.value};
  if (vector.expect != expect) entry["expect"] = vector.expect;
  return entry;
}

}  // namespace

void pack(const std::string& folder, const std::string& out) {
  const Corpus corpus = read_corpus(folder);
  json recipes = json::array();
  std::vector<uint8_t> bytes;
  const auto add = [&](const std::vector<uint8_t>& file) {
    json range = {bytes.size(), file.size()};
    bytes.insert(bytes.end(), file.begin(), file.end());
    return range;
  };
  for (const Recipe& recipe : corpus.recipes) {
    const Expanded expanded = expand(corpus, recipe);
    json entry = words(recipe);
    entry["id"] = recipe.id;
    entry["file"] = add(expanded.file);
    if (!expanded.sound.empty()) entry["sound"] = add(expanded.sound);
    entry["expect"] = expanded.vectors.front().expect;
    entry["tensors"] = expanded.tensors;
    entry["inputs"] = expanded.inputs;
    entry["outputs"] = expanded.outputs;
    entry["planned"] = expanded.planned;
    entry["vectors"] = json::array();
    for (const Vector& vector : expanded.vectors) {
      entry["vectors"].push_back(packed_vector(vector, entry["expect"]));
    }
    recipes.push_back(std::move(entry));
  }
  std::filesystem::create_directories(out);
  const std::string text = json{{"schema_version", schema_version}, {"recipes", recipes}}.dump();
  write_file(std::filesystem::path(out) / "vectors.json", text.data(), text.size());
  write_file(std::filesystem::path(out) / "vectors.bin", bytes.data(), bytes.size());
}

void export_archive(const std::string& folder, const std::string& out) {
  const Corpus corpus = read_corpus(folder);
  json vectors = json::array();
  std::filesystem::create_directories(out);
  for (const Recipe& recipe : corpus.recipes) {
    const Expanded expanded = expand(corpus, recipe);
    for (const Vector& vector : expanded.vectors) {
      json entry = words(recipe);
      std::string file = vector.id + ".pte";
      for (char& ch : file) ch = ch == '/' || ch == '=' ? '-' : ch;
      const std::vector<uint8_t> bytes = bytes_of(expanded, vector);
      write_file(std::filesystem::path(out) / file, bytes.data(), bytes.size());
      entry["id"] = vector.id;
      entry["file"] = file;
      entry["tensors"] = expanded.tensors;
      entry["inputs"] = expanded.inputs;
      entry["outputs"] = expanded.outputs;
      entry["planned"] = expanded.planned;
      entry["expect"] = vector.expect;
      vectors.push_back(std::move(entry));
    }
  }
  write_index(std::filesystem::path(out) / "index.json",
              {{"schema_version", schema_version}, {"vectors", vectors}});
}

void write_seeds(const std::string& folder, const std::string& out) {
  const Corpus corpus = read_corpus(folder);
  std::filesystem::create_directories(out);
  for (const Recipe& recipe : corpus.recipes) {
    const std::vector<uint8_t> bytes = expand(corpus, recipe).file;
    if (bytes.size() > most_seed_bytes) continue;
    write_file(std::filesystem::path(out) / (recipe.id + ".pte"), bytes.data(), bytes.size());
  }
}

void write_bases(const std::string& folder, const std::string& out) {
  const Corpus corpus = read_corpus(folder);
  std::filesystem::create_directories(out);
  for (const auto& [name, text] : corpus.bases) {
    const auto bytes = write_program(text.at("program"), text.value("file", json::object())).bytes;
    write_file(std::filesystem::path(out) / (name + ".pte"), bytes.data(), bytes.size());
  }
}

}  // namespace aoti_cts::corpus
