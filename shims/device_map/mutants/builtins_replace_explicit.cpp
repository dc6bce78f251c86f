// clause: MAP.explicit-kept
// The built-ins, when they register, replace what was registered before them.
#include "device_map/hook.h"

namespace {

using namespace aoti_cts::device_map;

class Mutant : public HookedRegistry {
 protected:
  void initialise() override {
    if (initialisations() > 0) return;
    HookedRegistry::initialise();
    for (auto& [device, overrides] : builtin_overrides()) put(device, overrides);
  }
};

}  // namespace

AOTI_MAP_PLUGIN(Mutant)
