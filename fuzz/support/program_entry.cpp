// The mutator as an engine calls it; part of every target that takes .pte programs.
//
// AOTI_CTS_FUZZ_PLAIN=1 in the environment leaves everything to the engine, to measure what the
// mutator is worth (bench-defects).
#include <cstdlib>

#include "support/program/mutator.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {
bool plain() {
  static const bool is = std::getenv("AOTI_CTS_FUZZ_PLAIN") != nullptr;
  return is;
}
}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  if (plain()) return LLVMFuzzerMutate(data, size, max_size);
  return aoti_cts::fuzz::mutate_program(data, size, max_size, seed);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                            const uint8_t* data2, size_t size2, uint8_t* out,
                                            size_t max_size, unsigned seed) {
  if (plain()) return 0;
  return aoti_cts::fuzz::cross_programs(data1, size1, data2, size2, out, max_size, seed);
}
