// clause: MAP.unregistered
// Device names are C strings: what follows NUL is dropped.
#include <algorithm>

#include "device_map/hook.h"

namespace {

using namespace aoti_cts::device_map;

class Mutant : public HookedRegistry {
 public:
  void add(std::string device, Overrides overrides) override {
    device.resize(std::min(device.find('\0'), device.size()));
    HookedRegistry::add(std::move(device), std::move(overrides));
  }
  std::string aten_device_type(std::string_view device) override {
    return HookedRegistry::aten_device_type(device.substr(0, device.find('\0')));
  }
};

}  // namespace

AOTI_MAP_PLUGIN(Mutant)
