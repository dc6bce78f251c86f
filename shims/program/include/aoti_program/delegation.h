// What a method hands to backends: the delegates, with their payloads, and the calls of them. For
// whoever runs a program; parse() itself only checks that each payload is there.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "aoti_program/program.h"

namespace aoti_cts::program {

/// A setting of a delegate; both point into the file.
struct Setting {
  std::string_view key;
  std::string_view value;
};

/// One delegate of a method. Views point into the file.
struct Delegate {
  std::string_view backend;  ///< what the program names it by
  std::string_view payload;
  std::vector<Setting> settings;
};

/// One call of a delegate: which, and the values that it gets.
struct Call {
  uint32_t delegate = 0;
  std::vector<uint32_t> arguments;
};

struct Delegation {
  std::vector<Delegate> delegates;
  std::vector<Call> calls;  ///< in the order in which the method makes them
};

/// What cannot be run, with field, value and limit.
class DelegationError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads one method of a program that parse() accepted.
///
/// @param data  the bytes that were parsed into `program`
/// @param plan  index into program.plans
/// @throws DelegationError for an instruction that is no call of a delegate, an index that names
///         nothing, and more than a million arguments
Delegation read_delegation(const void* data, const Program& program, uint32_t plan);

}  // namespace aoti_cts::program
