// Host memory of the checked reference: pages of its own for each storage, closed as it dies.
#include "device/host_memory.h"

#include "checked/ledger.h"
#include "checked/pages.h"

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

void* take_host_memory(int64_t bytes) {
  void* data = aoti_checked::open_pages(bytes, {.kind = aoti_checked::kUseAfterFree,
                                                .what = {},
                                                .birth = aoti_checked::last_call(),
                                                .death = {}});
  if (data == nullptr) throw Error("out of memory: " + std::to_string(bytes) + " bytes on cpu");
  return data;
}

void give_host_memory(void* data, int64_t) noexcept {
  aoti_checked::close_pages(data, aoti_checked::last_call());
}

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
