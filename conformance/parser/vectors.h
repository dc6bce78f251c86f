// The vectors of the program corpus as the suite carries them: packed at build time, part of the
// binary, so that the tool needs no data files.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace aoti_cts::parser {

/// One .pte file and what a conforming parser says about it.
struct Vector {  // NOLINT(bugprone-exception-escape): nlohmann::json's move asserts
  std::string id;
  nlohmann::json expect;  ///< by mode: "portable", "aten"; a mode that is absent is not judged
  bool cut = false;       ///< the file ends after `at` bytes
  bool poked = false;     ///< byte `at` is `value` instead
  uint64_t at = 0;
  uint8_t value = 0;
};

/// Names a tensor: method and value, both counted from 0.
struct Place {
  uint32_t method = 0;
  uint32_t value = 0;
  friend bool operator==(Place a, Place b) { return a.method == b.method && a.value == b.value; }
};

/// The vectors that come from one recipe.
struct Recipe {
  std::string id;
  std::string clause;
  std::string about;
  std::vector<std::string> flags;
  const uint8_t* file = nullptr;
  uint64_t size = 0;
  const uint8_t* sound = nullptr;  ///< the same program without its defect, or null
  uint64_t sound_size = 0;
  std::vector<Place> tensors;                  ///< in the order of "devices" and "data"
  std::vector<std::vector<uint32_t>> inputs;   ///< by method: the values that are its inputs
  std::vector<std::vector<uint32_t>> outputs;  ///< likewise
  std::vector<uint32_t> planned;               ///< by method: how many planned buffers
  std::vector<Vector> vectors;
};

/// All of them, in the order of their names; read on first use, alive as long as the process.
const std::vector<Recipe>& recipes();

std::vector<uint8_t> bytes_of(const Recipe& recipe, const Vector& vector);

/// Where a vector is the beginning of a longer program, how that goes on: at most `most` bytes.
std::vector<uint8_t> rest_of(const Recipe& recipe, const Vector& vector, size_t most);

}  // namespace aoti_cts::parser
