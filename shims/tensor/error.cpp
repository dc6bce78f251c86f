// The last error is a fixed thread-local buffer: keeping a text must not fail when memory is what
// ran out, and a buffer without destructor can be read while a thread is ending.
#include "tensor/error.h"

#include <cstdio>

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

namespace {
constexpr std::size_t kTextSize = 512;
thread_local char last_text[kTextSize] = "";
thread_local char deferred_text[kTextSize] = "";
}  // namespace

void refuse(std::string_view what, int64_t have, std::string_view limit) {
  throw Error(std::string(what) + " is " + std::to_string(have) + ", must be " +
              std::string(limit));
}

void refuse_null(const char* argument) { throw Error(std::string(argument) + " is null"); }

void set_last_error(const char* shim, const char* text) noexcept {
  std::snprintf(last_text, kTextSize, "%s: %s", shim, text);
}

void defer_error(const char* text) noexcept {
  if (deferred_text[0] == '\0') std::snprintf(deferred_text, kTextSize, "%s", text);
}

void clear_deferred() noexcept { deferred_text[0] = '\0'; }

void throw_deferred() {
  if (deferred_text[0] == '\0') return;
  const Error error(deferred_text);
  clear_deferred();
  throw Error(error);
}

const char* last_error() noexcept { return last_text; }

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
