// clause: MAP.invalid
// A suffix may start with a digit: the check is made on k and suffix together.
#include "device_map/hook.h"

namespace {

using namespace aoti_cts::device_map;

class Mutant : public HookedRegistry {
 protected:
  std::string checked(std::string_view device, const DeviceOpOverrides& overrides,
                      const std::optional<Value>& value) const override {
    std::optional<Value> padded = value;
    if (padded && padded->text.size() > 5) padded->text.insert(5, "k");
    HookedRegistry::checked(device, overrides, padded);
    return value->text;
  }
};

}  // namespace

AOTI_MAP_PLUGIN(Mutant)
