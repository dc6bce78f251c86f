// Loads the library under test and checks what a loader would see of it.
//
//   AOTI_CTS_TEST_CUDART=.../libcudart.so.13 virtual_cuda_test --gtest_filter='Table.*'
//
// prints "[  PASSED  ] 5 tests."
#include "virtual_cuda/tests/library.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstdlib>
#include <set>
#include <string>

namespace aoti_cts::vcuda {
namespace {

Library load() {
  const char* path = std::getenv("AOTI_CTS_TEST_CUDART");
  void* handle = path != nullptr ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (handle == nullptr) {
    std::fprintf(stderr, "AOTI_CTS_TEST_CUDART=%s: %s\n", path != nullptr ? path : "(unset)",
                 path != nullptr ? dlerror() : "names the libcudart to test");
    std::abort();
  }
  return load_table(handle);
}

/// The rows of the table that this library has.
std::set<std::string> rows() {
  std::set<std::string> names;
  const int version = library().version;
#define VCUDA(kind, runtimes, ret, name, params)                   \
  if (std::string(#runtimes) == "both" ||                          \
      std::string(#runtimes) == (version == 12 ? "v12" : "v13")) { \
    names.insert(#name);                                           \
  }
#include "virtual_cuda/functions.def"
#undef VCUDA
  return names;
}

}  // namespace

const Library& library() {
  static const Library loaded = load();
  return loaded;
}

TEST(Table, EachRowIsExportedUnderTheRuntimesVersion) {
  const std::string version = library().version == 12 ? "libcudart.so.12" : "libcudart.so.13";
  for (const std::string& name : rows()) {
    EXPECT_NE(dlvsym(library().handle, name.c_str(), version.c_str()), nullptr) << name;
  }
}

TEST(Table, EachControlFunctionIsExported) {
#define VCUDA_CONTROL_THERE(name) EXPECT_NE(library().name, nullptr) << #name;
  VCUDA_CONTROLS(VCUDA_CONTROL_THERE)
#undef VCUDA_CONTROL_THERE
}

TEST(Table, SonameIsThatOfTheRealLibrary) {
  struct link_map* map = nullptr;
  ASSERT_EQ(dlinfo(library().handle, RTLD_DI_LINKMAP, &map), 0);
  std::size_t soname = 0;
  const char* strings = nullptr;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SONAME) soname = entry->d_un.d_val;
    if (entry->d_tag == DT_STRTAB) {
      strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);  // NOLINT
    }
  }
  ASSERT_NE(strings, nullptr);
  EXPECT_STREQ(strings + soname, library().version == 12 ? "libcudart.so.12" : "libcudart.so.13");
}

TEST(Table, DriverFunctionsAreFoundInTheStandInDriver) {
  const Library& cuda = library();
  ASSERT_EQ(cuda.reset(2, 0), 0);
  const char* given = std::getenv("AOTI_CTS_TEST_CUDART");
  ASSERT_NE(given, nullptr);
  const std::string path = given;
  const std::string driver = path.substr(0, path.rfind('/') + 1) + "libcuda.so.1";
  ASSERT_NE(dlopen(driver.c_str(), RTLD_NOW | RTLD_GLOBAL), nullptr) << dlerror();
  void* function = nullptr;
  int status = -1;
  ASSERT_EQ(cuda.cudaGetDriverEntryPoint("cuDeviceGetCount", &function, 0, &status), cudaSuccess);
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(status, 0);
  int count = 0;
  EXPECT_EQ(reinterpret_cast<unsigned (*)(int*)>(function)(&count), 0U);
  EXPECT_EQ(count, 2);
  ASSERT_EQ(cuda.cudaGetDriverEntryPoint("cuMemMap", &function, 0, &status), cudaSuccess);
  EXPECT_EQ(reinterpret_cast<unsigned (*)(...)>(function)(), 801U);
  EXPECT_STREQ(cuda.refused(0), "cuMemMap");
  ASSERT_EQ(cuda.cudaGetDriverEntryPoint("cuNothing", &function, 0, &status), cudaSuccess);
  EXPECT_EQ(function, nullptr);
  EXPECT_EQ(status, 1);
}

TEST(Table, RefusedFunctionsSaySo) {
  const Library& cuda = library();
  ASSERT_EQ(cuda.reset(1, 0), 0);
  EXPECT_EQ(cuda.cudaGraphLaunch(nullptr, nullptr), cudaErrorNotSupported);
  EXPECT_EQ(cuda.cudaGetLastError(), cudaErrorNotSupported);
  EXPECT_STREQ(cuda.refused(0), "cudaGraphLaunch");
  EXPECT_EQ(cuda.refused(1), nullptr);
}

}  // namespace aoti_cts::vcuda
