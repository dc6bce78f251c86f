// clause: MAP.missing
// A backend of others without a mapping is taken for the generic out-of-tree device.
#include "device_map/hook.h"

namespace {

using namespace aoti_cts::device_map;

class Mutant : public HookedRegistry {
 protected:
  std::string checked(std::string_view device, const DeviceOpOverrides& overrides,
                      const std::optional<Value>& value) const override {
    for (const auto& builtin : builtin_overrides()) {
      if (builtin.first == device) return HookedRegistry::checked(device, overrides, value);
    }
    if (!value) return "at::kPrivateUse1";
    return HookedRegistry::checked(device, overrides, value);
  }
};

}  // namespace

AOTI_MAP_PLUGIN(Mutant)
