// Valid programs from nothing.
//
// A defect that needs several things at once (a tensor of the second method, in its second buffer,
// on a device) is not reached by small changes that are kept where they reach new code: each of the
// things alone reaches none, and on the way to all of them a rule is soon broken. Here every
// property of every tensor is drawn by itself, so that any few of them meet within some thousand
// tensors, and nothing is broken, so that a refusal is a finding.
#pragma once

#include <string>

#include "support/hash.h"
#include "support/program/objects.h"

namespace aoti_cts::fuzz {

/// One to three methods of up to six values and four planned buffers each, valid in both modes and
/// below 4 KiB. Mostly without what a parser may lack (data outside of the file); never with a
/// delegate, an operator or an instruction.
Objects valid_program(Random& random);

/// Bytes of one element; 1 for a number that is no scalar type.
uint32_t item_bytes(int8_t scalar_type);

/// Drops what a parser may lack to load a program, so that its refusal says something: operators,
/// delegates, instructions.
void make_plain(wire::ProgramT& program);

/// A name that no method has.
std::string unused_name(const wire::ProgramT& program);

}  // namespace aoti_cts::fuzz
