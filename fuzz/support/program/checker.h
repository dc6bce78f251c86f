// A second reader of .pte programs: section PARSE of the contract, written once more from its
// rules.
//
// It shares with the parser under test the layout of the tables and FlatBuffers' verifier, and no
// rule: it is simple where the parser is fast (one rule after the other, 128-bit numbers), so that
// the two are wrong in different ways.
#pragma once

#include <aoti_program/program.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace aoti_cts::fuzz {

/// The devices of an accepted program: of its tensors and of its planned buffers, in the order in
/// which the parser lists them.
struct Reading {
  std::vector<program::Device> tensors;
  std::vector<program::Device> buffers;
};

/// Whether the offsets, vtables and vectors of the tables are known to lie inside the file.
enum class Structure : uint8_t { unknown, sound };

/// @param data       the file, at a multiple of program::alignment
/// @param structure  sound: FlatBuffers' verifier is not asked again
/// @param out        filled where the program keeps all rules
/// @return null, or the first rule that is broken
const char* check(const uint8_t* data, size_t size, program::Mode mode, Structure structure,
                  Reading& out);

}  // namespace aoti_cts::fuzz
