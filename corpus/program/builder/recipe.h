// Recipes become vectors here: a recipe is one small JSON file in corpus/program/cases/, a vector
// is one .pte file with what a conforming parser says about it. A sweep is one recipe and many
// vectors.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "writer.h"

namespace aoti_cts::corpus {

/// One recipe as it was read, by its file's name.
struct Recipe {
  std::string id;
  nlohmann::json text;
};

/// All recipes of a folder and the base programs they start from, in the order of their names.
struct Corpus {
  std::vector<Recipe> recipes;
  std::map<std::string, nlohmann::json> bases;
};

/// Reads corpus/program/. Throws std::runtime_error naming the file that is no JSON.
Corpus read_corpus(const std::string& folder);

/// How a vector's file comes from its recipe's file: the whole of it, a part, or one byte changed.
struct Spoil {
  enum class Kind { none, cut, byte } kind = Kind::none;
  uint64_t at = 0;    ///< cut: bytes kept; byte: which one
  uint8_t value = 0;  ///< byte: what it becomes
};

struct Vector {
  std::string id;  ///< the recipe's id; for a sweep with what was changed behind a slash
  Spoil spoil;
  nlohmann::json expect;  ///< by mode ("portable", "aten"); a mode that is absent is not judged
};

/// The vectors of one recipe, all spoilt from one file.
struct Expanded {
  std::vector<uint8_t> file;
  std::vector<uint8_t> sound;  ///< the same program without the defect; empty where there is none
  std::vector<Vector> vectors;
  std::vector<std::pair<uint32_t, uint32_t>> tensors;  ///< method and value of each, as written
  std::vector<std::vector<uint32_t>> inputs;           ///< by method: values that are inputs
  std::vector<std::vector<uint32_t>> outputs;          ///< likewise
  std::vector<uint32_t> planned;                       ///< by method: how many planned buffers
};

/// Builds a recipe. Throws std::runtime_error naming recipe and path.
Expanded expand(const Corpus& corpus, const Recipe& recipe);

/// A program that is a recipe's but for its defect, which is `defect` instead.
std::vector<uint8_t> with_defect(const Corpus& corpus, const Recipe& recipe,
                                 const nlohmann::json& defect);

/// The bytes of one vector.
std::vector<uint8_t> bytes_of(const Expanded& expanded, const Vector& vector);

}  // namespace aoti_cts::corpus
