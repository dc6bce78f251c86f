// clause: MAP.unregistered
// Device names are compared without regard to case.
#include "device_map/hook.h"

namespace {

using namespace aoti_cts::device_map;

class Mutant : public HookedRegistry {
 public:
  std::string aten_device_type(std::string_view device) override {
    std::string lower(device);
    for (char& ch : lower) {
      if (ch >= 'A' && ch <= 'Z') ch = static_cast<char>(ch - 'A' + 'a');
    }
    return HookedRegistry::aten_device_type(lower);
  }
};

}  // namespace

AOTI_MAP_PLUGIN(Mutant)
