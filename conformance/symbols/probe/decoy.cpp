// The decoy: a library that defines every shim of the manifest and counts calls to them.
//
// Its names stand behind a long placeholder; make_decoy() (decoy.h) writes a copy in which they
// have the prefix that is wanted. Each shim answers with an error, so that a candidate that was led
// here stops there.
#include <aoti_shim/types.h>

#define EXPORT __attribute__((visibility("default")))

extern "C" {

/// Calls so far, and the shim (without prefix) that was called last.
EXPORT volatile int aoti_cts_decoy_calls = 0;
EXPORT const char* volatile aoti_cts_decoy_last = "";
}

namespace {

constexpr bool same(const char* a, const char* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return *a == *b;
}

template <class T>
T answer(bool is_error_code) {
  if constexpr (sizeof(T) == sizeof(int)) return is_error_code ? T(1) : T();
  return T();
}
template <>
void answer<void>(bool) {}

}  // namespace

// 64 characters, as decoy.h says.
#define PLACEHOLDER "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

#define AOTI_SHIM(tier, origin, ret, name, params)                      \
  extern "C" EXPORT ret decoy_##name params __asm__(PLACEHOLDER #name); \
  ret decoy_##name params {                                             \
    aoti_cts_decoy_calls = aoti_cts_decoy_calls + 1;                    \
    aoti_cts_decoy_last = #name;                                        \
    return answer<ret>(same(#ret, "AOTITorchError"));                   \
  }
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <aoti_shim/shims.def>
#undef AOTI_SHIM
