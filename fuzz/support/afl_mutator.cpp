// The mutator of .pte programs as a library for AFL++: AFL_CUSTOM_MUTATOR_LIBRARY names it, and
// AFL_CUSTOM_MUTATOR_ONLY=1 leaves the mutations to it. The interface is AFL++'s own
// (custom_mutators/README of that project), of which these three functions are what is needed.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "support/hash.h"
#include "support/program/mutator.h"

namespace {

aoti_cts::fuzz::Random& bytes() {
  static aoti_cts::fuzz::Random random(1);
  return random;
}

}  // namespace

// AFL++ offers a library no mutation of its own, so what is no program gets a byte changed.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t /*max_size*/) {
  if (size != 0) data[bytes().below(size)] = static_cast<uint8_t>(bytes().next());
  return size;
}

namespace {

struct State {
  aoti_cts::fuzz::Random random;
  std::vector<uint8_t> out;
};

}  // namespace

extern "C" {

__attribute__((visibility("default"))) void* afl_custom_init(void* /*afl*/, unsigned seed) {
  bytes() = aoti_cts::fuzz::Random(seed);
  return new State{aoti_cts::fuzz::Random(seed), {}};
}

__attribute__((visibility("default"))) size_t afl_custom_fuzz(void* data, uint8_t* input,
                                                              size_t size, uint8_t** out,
                                                              uint8_t* other, size_t other_size,
                                                              size_t max_size) {
  State& state = *static_cast<State*>(data);
  const auto seed = static_cast<unsigned>(state.random.next());
  state.out.assign(max_size, 0);
  size_t result = 0;
  if (other != nullptr && state.random.one_in(8)) {
    result = aoti_cts::fuzz::cross_programs(input, size, other, other_size, state.out.data(),
                                            max_size, seed);
  }
  if (result == 0) {
    const size_t kept = size < max_size ? size : max_size;
    std::memcpy(state.out.data(), input, kept);
    result = aoti_cts::fuzz::mutate_program(state.out.data(), kept, max_size, seed);
  }
  *out = state.out.data();
  return result;
}

__attribute__((visibility("default"))) void afl_custom_deinit(void* data) {
  delete static_cast<State*>(data);
}
}
