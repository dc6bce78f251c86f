// clause: DELEGATE.registry
// A build for portable mode registers in the registry of ATen mode.
#include "delegate/mutants/mutant.h"

namespace {
struct Wrong : Steps {
  std::vector<Mode> registries(Mode /*own*/) override { return {Mode::aten}; }
};
}  // namespace

AOTI_DELEGATE_MUTANT(Wrong)
