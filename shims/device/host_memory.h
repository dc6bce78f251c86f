// Where host memory comes from: the C library's allocator (host_memory.cpp), or pages of its own
// for each storage in the build that judges its callers (checked/host_memory.cpp).
#pragma once

#include "tensor/error.h"

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

/// `bytes` > 0 of uninitialised memory, aligned to at least 64 bytes. Throws Error where it cannot
/// be had. End it with give_host_memory().
void* take_host_memory(int64_t bytes);
void give_host_memory(void* data, int64_t bytes) noexcept;

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
