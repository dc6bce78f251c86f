// clause: MAP.invalid
// An error over a bad answer does not show it.
#include "device_map/hook.h"

namespace {

using namespace aoti_cts::device_map;

class Mutant : public HookedRegistry {
 protected:
  std::string checked(std::string_view device, const DeviceOpOverrides& overrides,
                      const std::optional<Value>& value) const override {
    try {
      return HookedRegistry::checked(device, overrides, value);
    } catch (const MapError& error) {
      if (error.value.empty()) throw;
      throw MapError("bad device type of " + error.override_class, error.device,
                     error.override_class, "");
    }
  }
};

}  // namespace

AOTI_MAP_PLUGIN(Mutant)
