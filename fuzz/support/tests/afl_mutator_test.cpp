// The library for AFL++, called as AFL++ does: opened by path, programs stay programs, the same
// seed gives the same bytes.
//
//   ctest -R fuzz.afl-mutator      "100% tests passed"
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "support/program/objects.h"

// For the copy of the mutator in this test, which is not called.
extern "C" size_t LLVMFuzzerMutate(uint8_t* /*data*/, size_t size, size_t /*max_size*/) {
  return size;
}

namespace {

using Bytes = std::vector<uint8_t>;

Bytes read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Library {
  Library() : handle(dlopen(AOTI_CTS_AFL_MUTATOR, RTLD_NOW | RTLD_LOCAL)) {
    if (handle == nullptr) return;
    init = reinterpret_cast<decltype(init)>(dlsym(handle, "afl_custom_init"));
    fuzz = reinterpret_cast<decltype(fuzz)>(dlsym(handle, "afl_custom_fuzz"));
    deinit = reinterpret_cast<decltype(deinit)>(dlsym(handle, "afl_custom_deinit"));
  }
  void* handle;
  void* (*init)(void*, unsigned) = nullptr;
  size_t (*fuzz)(void*, uint8_t*, size_t, uint8_t**, uint8_t*, size_t, size_t) = nullptr;
  void (*deinit)(void*) = nullptr;
};

/// A hundred mutations of one seed.
std::vector<Bytes> mutations(const Library& library, Bytes input, unsigned seed) {
  void* const state = library.init(nullptr, seed);
  std::vector<Bytes> all;
  for (int i = 0; i < 100; ++i) {
    uint8_t* out = nullptr;
    const size_t size =
        library.fuzz(state, input.data(), input.size(), &out, input.data(), input.size(), 8192);
    all.emplace_back(out, out + size);
  }
  library.deinit(state);
  return all;
}

TEST(AflMutator, MutatesProgramsIntoPrograms) {
  const Library library;
  ASSERT_NE(library.handle, nullptr) << dlerror();
  ASSERT_TRUE(library.init != nullptr && library.fuzz != nullptr && library.deinit != nullptr);
  const Bytes seed = read(std::filesystem::path(AOTI_CTS_SEEDS) / "device-type-7.pte");
  ASSERT_FALSE(seed.empty());
  int programs = 0;
  int changed = 0;
  for (const Bytes& one : mutations(library, seed, 1)) {
    programs += aoti_cts::fuzz::unpack(one.data(), one.size()).has_value();
    changed += one != seed;
  }
  EXPECT_GT(programs, 50);
  EXPECT_GT(changed, 80);
  EXPECT_TRUE(mutations(library, seed, 7) == mutations(library, seed, 7));
}

}  // namespace
