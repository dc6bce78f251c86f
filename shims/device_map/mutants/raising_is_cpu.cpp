// clause: MAP.raises
// Where a mapping raises, the CPU is taken instead.
#include "device_map/hook.h"

namespace {

using namespace aoti_cts::device_map;

class Mutant : public HookedRegistry {
 public:
  std::string aten_device_type(std::string_view device) override {
    try {
      return HookedRegistry::aten_device_type(device);
    } catch (const MapError& error) {
      if (std::string_view(error.what()).find("raised:") == std::string_view::npos) throw;
      return "at::kCPU";
    }
  }
};

}  // namespace

AOTI_MAP_PLUGIN(Mutant)
