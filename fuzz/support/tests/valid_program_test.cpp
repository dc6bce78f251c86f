// Programs that the mutator writes from nothing: each valid, and any few properties of a tensor
// meet.
//
//   ctest -R fuzz.valid-program      "100% tests passed"
#include <aoti_program/program.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "support/program/checker.h"
#include "support/program/valid.h"

// For the mutator, which is not called.
extern "C" size_t LLVMFuzzerMutate(uint8_t* /*data*/, size_t size, size_t /*max_size*/) {
  return size;
}

namespace {

using namespace aoti_cts;
using program::Mode;

constexpr uint64_t programs = 10000;

std::vector<uint8_t> written(uint64_t seed) {
  fuzz::Random random(seed);
  fuzz::Objects objects = fuzz::valid_program(random);
  return fuzz::pack(objects);
}

TEST(ValidProgram, IsValidInBothModes) {
  for (uint64_t seed = 0; seed < programs; ++seed) {
    const std::vector<uint8_t> file = written(seed);
    for (const Mode mode : {Mode::portable, Mode::aten}) {
      program::Options options;
      options.mode = mode;
      program::Program parsed;
      program::Error error;
      ASSERT_TRUE(program::parse(file.data(), file.size(), options, parsed, error))
          << "seed " << seed << ": " << error.text();
      fuzz::Reading reading;
      const char* const broken =
          fuzz::check(file.data(), file.size(), mode, fuzz::Structure::unknown, reading);
      ASSERT_EQ(broken, nullptr) << "seed " << seed << ": " << broken;
    }
    // libFuzzer's limit where the seeds are small.
    ASSERT_LE(file.size(), 4096u) << "seed " << seed;
  }
}

TEST(ValidProgram, PropertiesMeet) {
  using program::Where;
  // Method, buffer, where the data is, device type.
  std::map<std::tuple<uint32_t, uint32_t, Where, int8_t>, int> count;
  for (uint64_t seed = 0; seed < programs; ++seed) {
    const std::vector<uint8_t> file = written(seed);
    program::Program parsed;
    program::Error error;
    ASSERT_TRUE(program::parse(file.data(), file.size(), {}, parsed, error)) << error.text();
    for (const program::Tensor& tensor : parsed.tensors) {
      ++count[{tensor.plan, tensor.buffer, tensor.where, tensor.device.type}];
    }
  }
  for (uint32_t plan = 0; plan < 3; ++plan) {
    for (const int8_t type : {int8_t{0}, int8_t{1}}) {
      for (const Where where : {Where::runtime, Where::constant, Where::external}) {
        EXPECT_GE((count[{plan, 0, where, type}]), 5)
            << "method " << plan << ", " << to_string(where) << ", device type " << +type;
      }
      for (uint32_t buffer = 1; buffer <= 4; ++buffer) {
        for (const Where where : {Where::planned, Where::initial}) {
          EXPECT_GE((count[{plan, buffer, where, type}]), 5)
              << "method " << plan << ", buffer " << buffer << ", " << to_string(where)
              << ", device type " << +type;
        }
      }
    }
  }
}

}  // namespace
