// clause: MAP.meta-fixed
// Overrides that are registered for meta count.
#include "device_map/hook.h"

namespace {

using namespace aoti_cts::device_map;

class Mutant : public HookedRegistry {
 public:
  std::string aten_device_type(std::string_view device) override {
    const Overrides overrides = device == "meta" ? overrides_of("meta") : nullptr;
    if (overrides == nullptr) return HookedRegistry::aten_device_type(device);
    return checked(device, *overrides, overrides->aten_device_type());
  }
};

}  // namespace

AOTI_MAP_PLUGIN(Mutant)
