// build/dev/shims/checked/tests/checked_tests
//
// Success ends with "[  PASSED  ]". Each kind of finding of the checked reference: committed here,
// found, told with the calls that led there, and survived. Run under ThreadSanitizer too.
#include <aoti_shim/shim.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace {

using testing::AssertionFailure;
using testing::AssertionResult;
using testing::AssertionSuccess;

AtenTensorHandle make(int64_t elements) {
  const int64_t stride = 1;
  AtenTensorHandle handle = nullptr;
  EXPECT_EQ(aoti_torch_empty_strided(1, &elements, &stride, aoti_torch_dtype_float32(),
                                     aoti_torch_device_type_cpu(), 0, &handle),
            0);
  return handle;
}

AOTITorchError view(AtenTensorHandle self, int64_t elements, int64_t offset,
                    AtenTensorHandle* ret) {
  const int64_t stride = 1;
  return aoti_torch__reinterpret_tensor(self, 1, &elements, &stride, offset, ret);
}

volatile float* data_of(AtenTensorHandle handle) {
  void* data = nullptr;
  EXPECT_EQ(aoti_torch_get_data_ptr(handle, &data), 0);
  return static_cast<float*>(data);
}

void end(AtenTensorHandle handle) { EXPECT_EQ(aoti_torch_delete_tensor_object(handle), 0); }

/// Exactly one finding, of this kind, with these words in this order.
AssertionResult found(const std::string& kind, const std::vector<std::string>& words) {
  const int64_t have = aoti_cts_checked_findings();
  std::string all;
  for (int64_t i = 0; i < have; ++i) all += std::string(aoti_cts_checked_finding(i)) + "\n";
  if (have != 1) return AssertionFailure() << have << " findings:\n" << all;
  if (all.rfind(kind + ": ", 0) != 0) return AssertionFailure() << "not " << kind << ": " << all;
  std::size_t at = 0;
  for (const std::string& word : words) {
    at = all.find(word, at);
    if (at == std::string::npos) return AssertionFailure() << "no '" << word << "': " << all;
  }
  return AssertionSuccess();
}

class Checked : public testing::Test {
 protected:
  void SetUp() override { aoti_cts_checked_reset(); }
  void TearDown() override { EXPECT_EQ(aoti_cts_checked_live(), 0); }
};

TEST_F(Checked, CleanUse) {
  AtenTensorHandle base = make(6);
  AtenTensorHandle half = nullptr;
  ASSERT_EQ(view(base, 3, 3, &half), 0);
  EXPECT_EQ(aoti_cts_checked_live(), 2);
  EXPECT_EQ(data_of(half), data_of(base) + 3);
  end(base);
  data_of(half)[2] = 1;  // the view keeps the storage
  int64_t* sizes = nullptr;
  int64_t* strides = nullptr;
  ASSERT_EQ(aoti_torch_get_sizes(half, &sizes), 0);
  ASSERT_EQ(aoti_torch_get_strides(half, &strides), 0);
  EXPECT_EQ(sizes[0], 3);
  EXPECT_EQ(strides[0], 1);
  EXPECT_EQ(aoti_torch_get_sizes(half, nullptr), 1);
  AtenTensorHandle copy = nullptr;
  ASSERT_EQ(aoti_torch_clone(half, &copy), 0);
  EXPECT_EQ(data_of(copy)[2], 1);
  end(half);
  end(copy);
  end(nullptr);
  aoti_cts_checked_report_leaks();
  EXPECT_EQ(aoti_cts_checked_findings(), 0);
}

TEST_F(Checked, UseAfterDelete) {
  AtenTensorHandle live = make(2);
  AtenTensorHandle dead = make(2);
  end(dead);
  AtenTensorHandle later = make(2);  // is never given the same handle again
  EXPECT_NE(later, dead);
  EXPECT_EQ(aoti_torch_copy_(live, dead, 0), 1);
  EXPECT_TRUE(found("use-after-delete",
                    {"aoti_torch_copy_, handle argument 2", "born in call ",
                     "aoti_torch_empty_strided", "deleted in call ", "delete_tensor_object"}));
  end(live);
  end(later);
}

TEST_F(Checked, DoubleDelete) {
  AtenTensorHandle handle = make(2);
  end(handle);
  EXPECT_EQ(aoti_torch_delete_tensor_object(handle), 1);
  EXPECT_TRUE(
      found("double-delete", {"delete_tensor_object", "born in call ", "deleted in call "}));
}

TEST_F(Checked, Leak) {
  AtenTensorHandle callers = make(2);
  aoti_cts_checked_reset();
  AtenTensorHandle leaked = nullptr;
  ASSERT_EQ(aoti_torch_new_tensor_handle(callers, &leaked), 0);
  aoti_cts_checked_report_leaks();
  EXPECT_TRUE(found("leak", {"born in call ", "aoti_torch_new_tensor_handle", "never deleted"}));
  end(leaked);
  end(callers);
}

TEST_F(Checked, ForeignHandle) {
  int something = 0;
  int64_t ndim = -1;
  EXPECT_EQ(aoti_torch_get_dim(reinterpret_cast<AtenTensorHandle>(&something), &ndim), 1);
  EXPECT_EQ(ndim, -1);
  EXPECT_TRUE(found("foreign-handle", {"aoti_torch_get_dim", "never given out"}));
}

TEST_F(Checked, HandleOfTheOtherCheckedRuntime) {
  void* other = dlopen(CHECKED_EXECUTORCH, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(other, nullptr) << dlerror();
  const auto get_dim = reinterpret_cast<decltype(&aoti_torch_get_dim)>(
      dlsym(other, "executorch_aoti_torch_get_dim"));
  const auto findings = reinterpret_cast<decltype(&aoti_cts_checked_findings)>(
      dlsym(other, "executorch_aoti_cts_checked_findings"));
  const auto finding = reinterpret_cast<decltype(&aoti_cts_checked_finding)>(
      dlsym(other, "executorch_aoti_cts_checked_finding"));
  AtenTensorHandle handle = make(2);
  int64_t ndim = 0;
  EXPECT_EQ(get_dim(handle, &ndim), 1);
  ASSERT_EQ(findings(), 1);
  EXPECT_EQ(std::string(finding(0)).rfind("foreign-handle: ", 0), 0U) << finding(0);
  EXPECT_EQ(aoti_cts_checked_findings(), 0);
  end(handle);
  dlclose(other);
}

TEST_F(Checked, OutOfStorageView) {
  AtenTensorHandle base = make(6);
  AtenTensorHandle half = nullptr;
  EXPECT_EQ(view(base, -1, 0, &half), 1);  // wrong in another way
  EXPECT_EQ(aoti_cts_checked_findings(), 0);
  EXPECT_EQ(view(base, 4, 3, &half), 1);
  EXPECT_EQ(half, nullptr);
  EXPECT_TRUE(found("out-of-storage-view",
                    {"aoti_torch__reinterpret_tensor", "born in call ", "3 + 3", "6 elements"}));
  end(base);
}

TEST_F(Checked, UseAfterFree) {
  AtenTensorHandle base = make(6);
  AtenTensorHandle half = nullptr;
  ASSERT_EQ(view(base, 3, 3, &half), 0);
  volatile float* data = data_of(half);
  end(base);
  data[1] = 2;
  EXPECT_EQ(aoti_cts_checked_findings(), 0);
  end(half);
  AtenTensorHandle later = make(6);  // is not given the same memory
  data[1] = 3;
  EXPECT_TRUE(
      found("use-after-free", {"byte 16 of a storage of 24 bytes", "aoti_torch_empty_strided",
                               "ended with call ", "delete_tensor_object", "touched after call "}));
  EXPECT_EQ(data[2], 0);  // one finding for each storage
  EXPECT_EQ(aoti_cts_checked_findings(), 1);
  EXPECT_NE(data_of(later), data - 3);
  end(later);
}

TEST_F(Checked, TheSystemGivesNobodyTheAddress) {
  constexpr std::size_t size = 65536;
  AtenTensorHandle base = make(size / sizeof(float));
  volatile float* data = data_of(base);
  data[0] = 1;
  end(base);
  std::vector<void*> others;
  for (int i = 0; i < 1000; ++i) {
    void* made = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(made, MAP_FAILED);
    others.push_back(made);
  }
  EXPECT_EQ(data[0], 0);
  EXPECT_TRUE(found("use-after-free", {"byte 0 of a storage of 65536 bytes"}));
  for (void* other : others) munmap(other, size);
}

TEST_F(Checked, RetainedSizes) {
  AtenTensorHandle handle = make(6);
  int64_t* sizes = nullptr;
  ASSERT_EQ(aoti_torch_get_sizes(handle, &sizes), 0);
  const volatile int64_t* kept = sizes;
  end(handle);
  EXPECT_EQ(kept[0], 0);
  EXPECT_TRUE(
      found("retained-argument", {"the sizes and strides of handle #", "aoti_torch_empty_strided",
                                  "aoti_torch_get_sizes", "delete_tensor_object"}));
}

TEST_F(Checked, RetainedLoan) {
  auto* lent = static_cast<AtenTensorHandle*>(
      aoti_cts_checked_lend(2 * sizeof(AtenTensorHandle), "the array of inputs"));
  ASSERT_NE(lent, nullptr);
  lent[1] = nullptr;
  AtenTensorHandle volatile* kept = lent;
  aoti_cts_checked_end_loan(lent);
  EXPECT_EQ(kept[1], nullptr);
  EXPECT_TRUE(found("retained-argument", {"byte 8 of the array of inputs", "checked_end_loan"}));
}

TEST_F(Checked, QuarantineIsBounded) {
  AtenTensorHandle first = make(1);
  end(first);
  for (int i = 0; i < 3000; ++i) end(make(1));
  // Its address may be anybody's by now; a young one is still watched.
  AtenTensorHandle young = make(1);
  volatile float* data = data_of(young);
  end(young);
  data[0] = 1;
  EXPECT_TRUE(found("use-after-free", {"storage of 4 bytes"}));
}

TEST_F(Checked, Threads) {
  AtenTensorHandle shared = make(64);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 300; ++i) {
        AtenTensorHandle mine = nullptr;
        if (view(shared, 16, t * 16, &mine) != 0) ++wrong;
        data_of(mine)[i % 16] = 1;
        int64_t* sizes = nullptr;
        if (aoti_torch_get_sizes(mine, &sizes) != 0 || sizes[0] != 16) ++wrong;
        end(mine);
        if (aoti_torch_delete_tensor_object(mine) == 0) ++wrong;  // one finding each
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(aoti_cts_checked_findings(), 1200);
  end(shared);
}

}  // namespace
