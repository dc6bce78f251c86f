// clause: DELEGATE.device-input
// Every input of a model on a device is taken for that device's, one tagged CPU too.
#include "delegate/mutants/mutant.h"

namespace {
struct OneDevice : Steps {
  Seen input(const Runtime& /*runtime*/, Seen seen, const std::string& device) override {
    if (device.rfind("cuda", 0) == 0) seen.device_type = 1;
    return seen;
  }
};
}  // namespace

AOTI_DELEGATE_MUTANT(OneDevice)
