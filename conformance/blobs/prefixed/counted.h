// What a counting library is made of: every shim of the manifest under one prefix, each of which
// counts its call and goes on to the runtime that it stands before. Found by models in its place,
// it tells which runtime a model calls.
#pragma once

#include <aoti_shim/shim.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace aoti_counted {

inline std::atomic<int64_t> calls{0};
inline std::atomic<void*> runtime{nullptr};

/// Counts a call; returns the function of the runtime behind.
template <class Fn>
Fn* next(const char* name) {
  ++calls;
  void* const found = dlsym(runtime, (std::string(AOTI_SHIM_PREFIX) + name).c_str());
  if (found != nullptr) return reinterpret_cast<Fn*>(found);
  std::fprintf(stderr, "the runtime has no %s%s\n", AOTI_SHIM_PREFIX, name);
  std::abort();
}

}  // namespace aoti_counted

extern "C" {
/// Before the first call: the library, as dlopen() gave it.
__attribute__((visibility("default"), weak)) void aoti_counted_go_on_to(void* library) {
  aoti_counted::runtime = library;
}
__attribute__((visibility("default"), weak)) int64_t aoti_counted_calls(void) {
  return aoti_counted::calls;
}
}
