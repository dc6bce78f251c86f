// clause: MAP.lazy
// The built-ins register only where nothing is registered yet.
#include "device_map/hook.h"

namespace {

using namespace aoti_cts::device_map;

class Mutant : public HookedRegistry {
 public:
  void add(std::string device, Overrides overrides) override {
    if (initialisations() == 0) too_late_ = true;
    HookedRegistry::add(std::move(device), std::move(overrides));
  }

 protected:
  void initialise() override {
    if (!too_late_) HookedRegistry::initialise();
  }

 private:
  bool too_late_ = false;
};

}  // namespace

AOTI_MAP_PLUGIN(Mutant)
