// The library under test as a table of functions, found as a candidate's loader would find them.
#pragma once

#include <gtest/gtest.h>

#include "virtual_cuda/table.h"

namespace aoti_cts::vcuda {

using Library = Table;

/// Loaded once; the test stops where a name is missing.
const Library& library();

/// A fresh device for each test: three devices of 64 MiB.
class VirtualCuda : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(cuda.reset(3, 64), 0); }

  /// The kinds of all findings so far, joined by spaces.
  std::string findings() const {
    std::string kinds;
    aoti_cts_vcuda_finding finding;
    for (size_t i = 0; cuda.get_finding(i, &finding) == 0; ++i) {
      kinds += (kinds.empty() ? "" : " ") + std::string(finding.kind);
    }
    return kinds;
  }

  void* device_memory(size_t bytes) const {
    void* ptr = nullptr;
    EXPECT_EQ(cuda.cudaMalloc(&ptr, bytes), cudaSuccess);
    return ptr;
  }

  aoti_cts_vcuda_live live(int device = -1) const {
    aoti_cts_vcuda_live counts{};
    EXPECT_EQ(cuda.get_live(device, &counts), 0);
    return counts;
  }

  const Library& cuda = library();
};

inline std::uintptr_t number(const void* ptr) { return reinterpret_cast<std::uintptr_t>(ptr); }

}  // namespace aoti_cts::vcuda
