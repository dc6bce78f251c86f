// Device strings, as a loader hands them to a blob: `cpu`, `cuda`, `cuda:12`.
//
// One parser for everybody who takes such a string, since a second one would read the odd ones
// another way. It reads the whole string or refuses it: a shipped loader took the last character
// for the index and read `cuda:12` as 2.
#pragma once

#include <string_view>

#include "device/device.h"

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

/// Longest string that is looked at; the longest valid one is `cuda:127`.
inline constexpr std::size_t kMaxDeviceString = 16;
/// Largest index: device indexes travel through a signed byte in ATen and in .pte files.
inline constexpr int32_t kMaxDeviceIndex = 127;

/// The device that the string names; index -1 where it names none (`cpu`, `cuda`). Throws Error
/// that shows the string for an unknown or differently spelled name, an index that is empty,
/// signed, has a leading zero, other characters or more than kMaxDeviceIndex, and for `cpu` with an
/// index other than 0. Whether the device exists is not looked at.
Device parse_device(std::string_view text);

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
