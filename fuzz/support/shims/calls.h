// A sequence of shim calls and the model that predicts each of them.
//
// A sequence is a list of records of 16 bytes, any bytes at all: which call, on which of the living
// tensors, with which type, sizes, strides and offset. So that an engine's own mutations move calls
// about, a record is read by its fields' remainders and refers to nothing behind itself.
//
// The model is a tensor in the plainest form: sizes, strides, offset, and a vector of bytes for the
// storage that it shares with its views. Whatever it predicts is a sentence of the contract; calls
// whose result the contract leaves open (a copy onto an overlapping tensor, between types, a view
// of no elements outside of its storage) are not made.
#pragma once

#include <aoti_shim/table.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/shims/cuda.h"

namespace aoti_cts::fuzz {

struct Record {
  uint8_t call = 0;
  uint8_t first = 0;   ///< which tensor
  uint8_t second = 0;  ///< which other tensor
  uint8_t dtype = 0;
  uint8_t dims = 0;
  uint8_t offset = 0;
  uint8_t form = 0;  ///< of the strides; variant of the call
  uint8_t value = 0;
  std::array<uint8_t, 4> sizes{};
  std::array<uint8_t, 4> strides{};
};
static_assert(sizeof(Record) == 16);

std::vector<Record> records_of(const uint8_t* data, size_t size);

/// A call that did something else than the model says.
struct Mismatch : std::runtime_error {
  Mismatch(std::string broken_rule, const std::string& what, std::string program)
      : std::runtime_error(what), rule(std::move(broken_rule)), c_program(std::move(program)) {}
  std::string rule;       ///< clause
  std::string c_program;  ///< the calls up to here as C, with the check that fails at the end
};

/// What the calls are made on.
struct Runtime {
  AotiShimTable table{};
  VirtualCuda* cuda = nullptr;  ///< null: the CPU alone
};

/// Makes the calls, then deletes what is left. Throws Mismatch; what lives then is deleted too.
/// With a CUDA device the sequence is repeated where it leaves more allocated than it found: what
/// grows three times is a leak.
void run_calls(const Runtime& runtime, const std::vector<Record>& records);

/// The same on two threads, each with tensors of its own, a call of one and then one of the other;
/// at once under ThreadSanitizer.
void run_calls_on_threads(const Runtime& runtime, const std::vector<Record>& records);

using RunCalls = void (*)(const Runtime&, const std::vector<Record>&);

/// The shortest sequence, records left out one after another, that still breaks the rule.
std::vector<Record> shrink_calls(const Runtime& runtime, std::vector<Record> records,
                                 const std::string& rule, RunCalls run);

}  // namespace aoti_cts::fuzz
