// clause: MAP.lazy
// The built-ins are registered at each lookup, though they replace nothing.
#include "device_map/hook.h"

namespace {

using namespace aoti_cts::device_map;

class Mutant : public HookedRegistry {
 protected:
  void initialise() override { register_builtins(); }
};

}  // namespace

AOTI_MAP_PLUGIN(Mutant)
