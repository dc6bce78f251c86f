// A second reader of .pte programs: section PARSE of the contract, written once more from its
// rules.
//
// It shares with the parser under test the layout of the tables and FlatBuffers' verifier, and no
// rule: it is simple where the parser is fast (sets, sorting, 128-bit numbers), so that the two are
// wrong in different ways.
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

/// @param data  the file, at a multiple of program::alignment
/// @param out   filled where the program keeps all rules
/// @return null, or the first rule that is broken
const char* check(const uint8_t* data, size_t size, program::Mode mode, Reading& out);

}  // namespace aoti_cts::fuzz
