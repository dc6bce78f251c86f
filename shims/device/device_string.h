// Device strings for the reference's own code and its hook: aoti_device/device_string.h with this
// runtime's types and errors.
#pragma once

#include <string_view>

#include "device/device.h"

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

/// The device that the string names; index -1 where it names none (`cpu`, `cuda`). Throws Error
/// that shows the string where aoti_device::read_device_string() refuses it.
Device parse_device(std::string_view text);

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
