// clause: MAP.meta
// meta is looked up like any other device, and nothing is registered for it.
#include "device_map/hook.h"

namespace {

using namespace aoti_cts::device_map;

class Mutant : public HookedRegistry {
 public:
  std::string aten_device_type(std::string_view device) override {
    if (device != "meta") return HookedRegistry::aten_device_type(device);
    throw MapError("nothing is registered for meta", "meta", "", "");
  }
};

}  // namespace

AOTI_MAP_PLUGIN(Mutant)
