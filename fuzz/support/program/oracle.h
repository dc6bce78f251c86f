// The oracle of the targets program_parser and program_parser_aten.
#pragma once

#include <aoti_program/program.h>

#include <cstddef>
#include <cstdint>

namespace aoti_cts::fuzz {

/// Parses the input in one mode and ends the process with a finding unless
///   - the second checker comes to the same: accepted or refused, and the same devices;
///   - the parser agrees with itself: with FlatBuffers' verifier and with its own walk it gives the
///     same program or the same error in the same words (a hash-chosen sixty-fourth);
///   - each error names code, clause, path and rule, and each tensor has a scalar type, a place and
///     a device that have names (likewise);
///   - an accepted program that is unpacked and packed again parses to the same tensors (a
///     hash-chosen sixteenth).
void examine(const uint8_t* data, size_t size, program::Mode mode);

}  // namespace aoti_cts::fuzz
