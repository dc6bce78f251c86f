// Writes .pte files from JSON, remembering where everything went, so that a recipe can spoil one
// place by its name.
//
// It is no general FlatBuffers writer: each table gets a vtable of its own, so that a spoilt vtable
// spoils one table, and content follows what refers to it, so that the first byte cut off matters.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace aoti_cts::corpus {

/// A number in a file: where it starts and how many bytes it has.
struct Place {
  uint64_t at = 0;
  uint32_t width = 0;
};

/// True for an integer that `width` bytes hold, signed or unsigned.
bool fits(const nlohmann::json& value, uint32_t width);

struct File {
  std::vector<uint8_t> bytes;
  /// By name. A field is named by its path, `execution_plan[0].values[1].tensor.sizes[0]`; what
  /// holds the structure together has a suffix: `PATH#offset` leads to a table, vector or string,
  /// `PATH#length` counts a vector's or string's elements, `PATH#terminator` ends a string,
  /// `PATH#vtable` leads from a table to its vtable, `PATH#vtable_length` and `PATH#slot.FIELD` are
  /// in that vtable. Outside of the tables: `#root`, `#identifier` and `#header.NAME`.
  std::map<std::string, Place> places;
};

/// Builds a file. Where zeros in front of the first table can do it, its size is a multiple of 16:
/// then its last byte, which is content, can lie before a page without access though its first is
/// aligned.
///
/// @param program  the root table, in the schema's words; a value of a union is keyed by its kind
/// in
///                 snake case ("tensor"); "#30" is a field of a later version, by number; an array
///                 {"#repeat": X, "times": N} refers N times to one X
/// @param file     what is around it: "extended_header" (its length: 24 or 32) and "segment_data"
///                 (bytes behind the program; implies a header), each optional
/// @throws std::runtime_error naming the path that the schema does not know or that does not fit
File write_program(const nlohmann::json& program, const nlohmann::json& file);

}  // namespace aoti_cts::corpus
