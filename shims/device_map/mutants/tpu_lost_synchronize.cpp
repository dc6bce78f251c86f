// clause: MAP.noop-kept
// tpu has lost one of its no-op overrides with the mapping.
#include "device_map/hook.h"

namespace {

using namespace aoti_cts::device_map;

class Mutant : public HookedRegistry {
 public:
  std::string code(std::string_view device, std::string_view operation) override {
    if (device == "tpu" && operation == "synchronize") {
      throw std::logic_error("synchronize() is not implemented");
    }
    return HookedRegistry::code(device, operation);
  }
};

}  // namespace

AOTI_MAP_PLUGIN(Mutant)
