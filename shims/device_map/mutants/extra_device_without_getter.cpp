// clause: MAP.token-exported
// A built-in device answers with a type that no runtime has a getter for.
#include "device_map/hook.h"

namespace {

using namespace aoti_cts::device_map;

class ZpuOverrides : public NoOpDeviceOpOverrides {
 public:
  std::optional<Value> aten_device_type() const override {
    return Value{Value::Kind::Text, "at::kZpu", 0};
  }
};

class Mutant : public HookedRegistry {
 protected:
  void initialise() override {
    if (initialisations() > 0) return;
    HookedRegistry::initialise();
    put("zpu", std::make_shared<ZpuOverrides>());
  }
};

}  // namespace

AOTI_MAP_PLUGIN(Mutant)
