// clause: MAP.unicode-suffix
// A suffix beyond ASCII is refused.
#include "device_map/hook.h"

namespace {

using namespace aoti_cts::device_map;

class Mutant : public HookedRegistry {
 protected:
  std::string checked(std::string_view device, const DeviceOpOverrides& overrides,
                      const std::optional<Value>& value) const override {
    std::string answer = HookedRegistry::checked(device, overrides, value);
    for (const char ch : answer) {
      if (static_cast<unsigned char>(ch) >= 0x80) {
        throw MapError("the suffix is not ASCII: " + answer, std::string(device),
                       overrides.class_name(), answer);
      }
    }
    return answer;
  }
};

}  // namespace

AOTI_MAP_PLUGIN(Mutant)
