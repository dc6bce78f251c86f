#include "device/device_string.h"

#include <aoti_device/device_string.h>
#include <aoti_shim/shim.h>

#include <cstring>

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

Device parse_device(std::string_view text) {
  const aoti_device::DeviceString read = aoti_device::read_device_string(text);
  if (!read.problem.empty()) throw Error(read.problem);
  return {read.type, read.index};
}

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE

AOTITorchError aoti_cts_parse_device(const char* text, int32_t* ret_type, int32_t* ret_index) {
  namespace reference = aoti_reference;
  return reference::guarded(__func__, [&] {
    reference::require_not_null(text, "text");
    reference::require_not_null(ret_type, "ret_type");
    reference::require_not_null(ret_index, "ret_index");
    // No further than the longest that is valid: the text may be of any length.
    const std::size_t length = strnlen(text, aoti_device::max_device_string + 1);
    const reference::Device device = reference::parse_device({text, length});
    *ret_type = device.type;
    *ret_index = device.index;
  });
}
