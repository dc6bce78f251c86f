// A parser plug-in held against the reference on one input.
#pragma once

#include <aoti_cts/parser.h>
#include <aoti_program/program.h>

#include <string>

#include "support/candidate/host.h"

namespace aoti_cts::fuzz {

/// How a candidate comes to something else than the reference. Kind and rule are what divergences
/// are grouped by.
struct Divergence {
  std::string kind;  ///< "accepted though invalid", "refused though valid", "wrong ...", "crash"
  std::string rule;  ///< clause, and the field where a clause speaks of several
  std::string what;  ///< have and want of this input
  bool found() const { return !kind.empty(); }
  bool same(const Divergence& other) const { return kind == other.kind && rule == other.rule; }
};

/// What the reference makes of an input.
struct Reference {
  bool accepted = false;
  program::Program program;
  program::Error error;
  std::string rule() const;  ///< of the refusal
};

/// What a candidate needs a file's address to be a multiple of: its table's `alignment`, or 16.
size_t alignment_of(const AotiCtsParser& parser);

/// Parses with the reference. `data` is at a multiple of program::alignment.
void read_reference(const uint8_t* data, size_t size, program::Mode mode, Reference& out);

/// The candidate on an input that the reference has read. Calls the candidate in this process.
///
/// Not compared is what the contract leaves open: which error, scalar types that are valid codes
/// but not in the schema, a CPU device's raw index in portable mode, whether sizes beside a 0 may
/// overflow, and what a parser may lack to load a valid program: a delegate, an operator, data
/// outside of the file, memory.
Divergence compare(const AotiCtsParser& parser, Host& host, const uint8_t* data, size_t size,
                   program::Mode mode, const Reference& reference);

}  // namespace aoti_cts::fuzz
