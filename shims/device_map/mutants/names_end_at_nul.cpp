// clause: MAP.unregistered
// Device names are C strings: what follows NUL is dropped.
#include "device_map/hook.h"

namespace {

using namespace aoti_cts::device_map;

class Mutant : public HookedRegistry {
 public:
  void add(std::string device, Overrides overrides) override {
    HookedRegistry::add(device.c_str(), std::move(overrides));
  }
  std::string aten_device_type(std::string_view device) override {
    return HookedRegistry::aten_device_type(std::string(device).c_str());
  }
};

}  // namespace

AOTI_MAP_PLUGIN(Mutant)
