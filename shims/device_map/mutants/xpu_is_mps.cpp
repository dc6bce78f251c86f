// clause: MAP.builtin
// xpu gives the constant of mps, as long as no backend has registered.
#include "device_map/hook.h"

namespace {

using namespace aoti_cts::device_map;

class Mutant : public HookedRegistry {
 public:
  void add(std::string device, Overrides overrides) override {
    alone_ = false;
    HookedRegistry::add(std::move(device), std::move(overrides));
  }
  std::string aten_device_type(std::string_view device) override {
    return HookedRegistry::aten_device_type(device == "xpu" && alone_ ? "mps" : device);
  }

 private:
  bool alone_ = true;
};

}  // namespace

AOTI_MAP_PLUGIN(Mutant)
