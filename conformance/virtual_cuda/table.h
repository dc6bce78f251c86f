// A loaded libcudart as a table of functions: CUDA's, of the real library or the virtual one, and
// the control functions, which only the virtual one has.
//
// For code that links neither: the runner and the suite, which take what the candidate brought into
// the process, and the tests of the virtual device.
#pragma once

#include <dlfcn.h>

#include <cstring>
#include <string>

#include "virtual_cuda/control.h"
#include "virtual_cuda/types.h"

namespace aoti_cts::vcuda {

// The control functions, without aoti_cts_vcuda_.
#define VCUDA_CONTROLS(ROW) \
  ROW(reset)                \
  ROW(fault)                \
  ROW(fault_inside_only)    \
  ROW(faults_struck)        \
  ROW(enter)                \
  ROW(call_count)           \
  ROW(get_call)             \
  ROW(finding_count)        \
  ROW(get_finding)          \
  ROW(observe)              \
  ROW(get_live)             \
  ROW(check_leaks)          \
  ROW(kernel)               \
  ROW(refused)              \
  ROW(note_refused)         \
  ROW(peek)                 \
  ROW(poke)                 \
  ROW(device_of)            \
  ROW(watch_host)

/// Members are null where the library lacks the function.
struct Table {
  void* handle = nullptr;
  int version = 0;  ///< 12 or 13: its own cudaRuntimeGetVersion; 0 where it has none

#define VCUDA_MEMBER_both(ret, name, params) ret(*name) params = nullptr;
#define VCUDA_MEMBER_v12(ret, name, params)
#define VCUDA_MEMBER_v13(ret, name, params)
#define VCUDA(kind, runtimes, ret, name, params) VCUDA_MEMBER_##runtimes(ret, name, params)
#include "virtual_cuda/functions.def"
#undef VCUDA
#undef VCUDA_MEMBER_both
#undef VCUDA_MEMBER_v12
#undef VCUDA_MEMBER_v13

#define VCUDA_CONTROL_MEMBER(name) decltype(&aoti_cts_vcuda_##name) name = nullptr;
  VCUDA_CONTROLS(VCUDA_CONTROL_MEMBER)
#undef VCUDA_CONTROL_MEMBER

  bool is_virtual() const { return reset != nullptr; }
};

/// Fills a table from a library that dlopen gave.
inline Table load_table(void* handle) {
  Table table;
  table.handle = handle;
  const auto look_up = [handle](const char* name, auto& member) {
    void* address = dlsym(handle, name);
    std::memcpy(&member, &address, sizeof member);
  };
#define VCUDA_LOAD_both(name) look_up(#name, table.name);
#define VCUDA_LOAD_v12(name)
#define VCUDA_LOAD_v13(name)
#define VCUDA(kind, runtimes, ret, name, params) VCUDA_LOAD_##runtimes(name)
#include "virtual_cuda/functions.def"
#undef VCUDA
#undef VCUDA_LOAD_both
#undef VCUDA_LOAD_v12
#undef VCUDA_LOAD_v13
#define VCUDA_CONTROL_LOAD(name) look_up("aoti_cts_vcuda_" #name, table.name);
  VCUDA_CONTROLS(VCUDA_CONTROL_LOAD)
#undef VCUDA_CONTROL_LOAD
  int version = 0;
  if (table.cudaRuntimeGetVersion != nullptr && table.cudaRuntimeGetVersion(&version) == 0) {
    table.version = version / 1000;
  }
  return table;
}

}  // namespace aoti_cts::vcuda
