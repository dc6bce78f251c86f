// The failure funnel of the reference: every shim that can fail runs its body inside guarded(),
// which turns whatever the body throws into error code 1 and a text for aoti_cts_last_error(). So
// the code below the shims may throw freely and no exception crosses the C boundary.
//
// All internals live in an inline namespace that is named after the prefix, so that archives of two
// prefixes link into one executable without sharing a symbol.
#pragma once

#include <aoti_shim/prefix.h>
#include <aoti_shim/types.h>

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

/// A refused call. The text names the argument, its value and the limit it broke.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws Error "<what> is <have>, must be <limit>".
[[noreturn]] void refuse(std::string_view what, int64_t have, std::string_view limit);

/// Throws Error "<argument> is null".
[[noreturn]] void refuse_null(const char* argument);

/// The same for a null pointer. Inline, as getters of one instruction or two begin with it.
inline void require_not_null(const void* pointer, const char* argument) {
  if (pointer == nullptr) refuse_null(argument);
}

/// Keeps "<shim>: <text>" as this thread's last error; cut where it exceeds the buffer.
void set_last_error(const char* shim, const char* text) noexcept;

/// This thread's last error: never null, empty before the first failure. The pointer is good until
/// the thread ends; the text until the thread's next failure.
const char* last_error() noexcept;

/// Keeps a failure of this thread that cannot be thrown, as in a destructor; the first one stays.
void defer_error(const char* text) noexcept;

/// Forgets a deferred failure, and throws one as Error.
void clear_deferred() noexcept;
void throw_deferred();

/// Runs a shim's body. Returns 0, or 1 with the last error set when the body threw.
template <class Body>
AOTITorchError guarded(const char* shim, Body&& body) noexcept {
  try {
    body();
    return 0;
  } catch (const std::exception& error) {
    set_last_error(shim, error.what());
  } catch (...) {
    set_last_error(shim, "an exception that is no std::exception");
  }
  return 1;
}

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
