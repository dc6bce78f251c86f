// clause: MAP.invalid
// The suffix is judged up to the end of its first line.
#include "device_map/hook.h"

namespace {

using namespace aoti_cts::device_map;

class Mutant : public HookedRegistry {
 protected:
  std::string checked(std::string_view device, const DeviceOpOverrides& overrides,
                      const std::optional<Value>& value) const override {
    std::optional<Value> line = value;
    if (line) line->text = line->text.substr(0, line->text.find('\n'));
    return HookedRegistry::checked(device, overrides, line);
  }
};

}  // namespace

AOTI_MAP_PLUGIN(Mutant)
