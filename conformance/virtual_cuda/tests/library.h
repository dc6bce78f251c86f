// The library under test as a table of functions, found as a candidate's loader would find them.
#pragma once

#include <gtest/gtest.h>

#include "virtual_cuda/control.h"
#include "virtual_cuda/types.h"

namespace aoti_cts::vcuda {

/// One member for each function that both runtimes have, and the control functions.
struct Library {
#define VCUDA_MEMBER_both(ret, name, params) ret(*name) params = nullptr;
#define VCUDA_MEMBER_v12(ret, name, params)
#define VCUDA_MEMBER_v13(ret, name, params)
#define VCUDA(kind, runtimes, ret, name, params) VCUDA_MEMBER_##runtimes(ret, name, params)
#include "virtual_cuda/functions.def"
#undef VCUDA
  decltype(&aoti_cts_vcuda_reset) reset = nullptr;
  decltype(&aoti_cts_vcuda_fault) fault = nullptr;
  decltype(&aoti_cts_vcuda_faults_struck) faults_struck = nullptr;
  decltype(&aoti_cts_vcuda_enter) enter = nullptr;
  decltype(&aoti_cts_vcuda_call_count) call_count = nullptr;
  decltype(&aoti_cts_vcuda_get_call) get_call = nullptr;
  decltype(&aoti_cts_vcuda_finding_count) finding_count = nullptr;
  decltype(&aoti_cts_vcuda_get_finding) get_finding = nullptr;
  decltype(&aoti_cts_vcuda_observe) observe = nullptr;
  decltype(&aoti_cts_vcuda_get_live) get_live = nullptr;
  decltype(&aoti_cts_vcuda_check_leaks) check_leaks = nullptr;
  decltype(&aoti_cts_vcuda_kernel) kernel = nullptr;
  decltype(&aoti_cts_vcuda_refused) refused = nullptr;
  decltype(&aoti_cts_vcuda_peek) peek = nullptr;
  decltype(&aoti_cts_vcuda_poke) poke = nullptr;
  decltype(&aoti_cts_vcuda_device_of) device_of = nullptr;
  decltype(&aoti_cts_vcuda_watch_host) watch_host = nullptr;
  void* handle = nullptr;
  int version = 0;  ///< 12 or 13
};

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
