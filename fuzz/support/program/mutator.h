// Mutations of .pte programs that reach what plain bytes do not.
//
// Three ways, chosen by the seed. In words: the tables are unpacked, one to three things of one
// method change (most often what the rules about devices, shapes and planned memory read; also
// things that rules tie together are brought into agreement, so that what is behind those rules is
// reached), and the tables are packed again. In place: a number where it stands, a field taken
// away, or what holds the tables together: offsets, lengths, vtables, the header. Anew: a valid
// program (valid.h), with one change or none. Any other bytes, and one time in eight these too, are
// left to the engine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aoti_cts::fuzz {

/// As LLVMFuzzerCustomMutator.
size_t mutate_program(uint8_t* data, size_t size, size_t max_size, unsigned seed);

/// As LLVMFuzzerCustomCrossOver: the first program with a method, values, segments or a tensor's
/// parts of the second.
size_t cross_programs(const uint8_t* data1, size_t size1, const uint8_t* data2, size_t size2,
                      uint8_t* out, size_t max_size, unsigned seed);

}  // namespace aoti_cts::fuzz
