// Device strings, as a loader hands them to a blob: `cpu`, `cuda`, `cuda:12`.
//
// One parser for everybody who takes such a string (the reference runtime, the command line), since
// a second one would read the odd ones another way. It reads the whole string or refuses it: a
// shipped loader took the last character for the index and read `cuda:12` as 2. Nothing but the
// standard library, and no exception, so that it can be used anywhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace aoti_device {

/// Longest string that is looked at; the longest valid one is `cuda:127`.
inline constexpr std::size_t max_device_string = 16;
/// Largest index: device indexes travel through a signed byte in ATen and in .pte files.
inline constexpr int32_t max_device_index = 127;

/// What a string names, or why it names nothing.
struct DeviceString {
  int32_t type = 0;     ///< c10::DeviceType: 0 cpu, 1 cuda
  int32_t index = -1;   ///< -1 where the string names none, and for the CPU
  std::string problem;  ///< shows the string and says the rule; empty where it was read
};

namespace detail {

struct Name {
  std::string_view text;
  int32_t type;
};
inline constexpr std::array<Name, 2> names{{{"cpu", 0}, {"cuda", 1}}};

inline DeviceString refused(std::string_view text, const std::string& why) {
  std::string shown;
  for (const char ch : text.substr(0, max_device_string)) {
    const bool plain = ch >= ' ' && ch <= '~';
    shown += plain ? ch : '?';
  }
  const char* end = text.size() > max_device_string ? "...': " : "': ";
  return {0, -1, "device string '" + shown + end + why};
}

/// Sets `index`, or returns what is wrong.
inline const char* read_index(std::string_view digits, int32_t& index) {
  if (digits.empty()) return "no index after the colon";
  if (digits.size() > 1 && digits.front() == '0') return "index has a leading zero";
  index = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return "index is not made of digits";
    index = index * 10 + (digit - '0');
    if (index > max_device_index) return "index is above 127";
  }
  return nullptr;
}

}  // namespace detail

/// Reads the string. An unknown or differently spelled name is a problem, as is an index that is
/// empty, signed, has a leading zero, other characters or more than max_device_index, and `cpu`
/// with an index other than 0. Whether the device exists is not looked at.
inline DeviceString read_device_string(std::string_view text) {
  if (text.size() > max_device_string) return detail::refused(text, "longer than 16 characters");
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (const detail::Name& known : detail::names) {
    if (known.text != name) continue;
    DeviceString read{known.type, -1, ""};
    if (colon == std::string_view::npos) return read;
    const char* wrong = detail::read_index(text.substr(colon + 1), read.index);
    if (wrong != nullptr) return detail::refused(text, wrong);
    if (known.type != 0) return read;
    if (read.index != 0) {
      return detail::refused(text, "there is one cpu, with index 0 or none");
    }
    return {0, -1, ""};
  }
  return detail::refused(text, "must be cpu, cuda or cuda:N");
}

}  // namespace aoti_device
