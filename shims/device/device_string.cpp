#include "device/device_string.h"

#include <aoti_shim/shim.h>

#include <cstring>

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

namespace {

struct Name {
  std::string_view text;
  int32_t type;
};
constexpr Name kNames[] = {{"cpu", kCpu}, {"cuda", kCuda}};

/// Printable and short, whatever was given.
std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char ch : text.substr(0, kMaxDeviceString)) {
    const bool plain = ch >= ' ' && ch <= '~';
    result += plain ? ch : '?';
  }
  return result + (text.size() > kMaxDeviceString ? "...'" : "'");
}

[[noreturn]] void refuse_string(std::string_view text, const char* why) {
  throw Error("device string " + quoted(text) + ": " + why);
}

int32_t parse_index(std::string_view text, std::string_view digits) {
  if (digits.empty()) refuse_string(text, "no index after the colon");
  if (digits.size() > 1 && digits.front() == '0') refuse_string(text, "index has a leading zero");
  int32_t index = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') refuse_string(text, "index is not made of digits");
    index = index * 10 + (digit - '0');
    if (index > kMaxDeviceIndex) refuse_string(text, "index is above 127");
  }
  return index;
}

}  // namespace

Device parse_device(std::string_view text) {
  if (text.size() > kMaxDeviceString) refuse_string(text, "longer than 16 characters");
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (const Name& known : kNames) {
    if (known.text != name) continue;
    if (colon == std::string_view::npos) return {known.type, -1};
    const int32_t index = parse_index(text, text.substr(colon + 1));
    if (known.type != kCpu) return {known.type, index};
    if (index != 0) refuse_string(text, "there is one cpu, with index 0 or none");
    return {kCpu, -1};
  }
  refuse_string(text, "must be cpu, cuda or cuda:N");
}

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE

AOTITorchError aoti_cts_parse_device(const char* text, int32_t* ret_type, int32_t* ret_index) {
  namespace reference = aoti_reference;
  return reference::guarded(__func__, [&] {
    reference::require_not_null(text, "text");
    reference::require_not_null(ret_type, "ret_type");
    reference::require_not_null(ret_index, "ret_index");
    // No further than the longest that is valid: the text may be of any length.
    const std::size_t length = strnlen(text, reference::kMaxDeviceString + 1);
    const reference::Device device = reference::parse_device({text, length});
    *ret_type = device.type;
    *ret_index = device.index;
  });
}
