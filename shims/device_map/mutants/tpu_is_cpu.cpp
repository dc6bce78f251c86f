// clause: MAP.unsupported
// tpu takes the identity of the CPU from the no-op overrides that they share.
#include "device_map/hook.h"

namespace {

using namespace aoti_cts::device_map;

class Mutant : public HookedRegistry {
 public:
  std::string aten_device_type(std::string_view device) override {
    const Overrides overrides = overrides_of(device);
    const bool shared = device == "tpu" && overrides->class_name() == "NoOpDeviceOpOverrides";
    return HookedRegistry::aten_device_type(shared ? "cpu" : device);
  }
};

}  // namespace

AOTI_MAP_PLUGIN(Mutant)
