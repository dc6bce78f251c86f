// clause: DELEGATE.registry
// A build for portable mode registers in both registries.
#include "delegate/mutants/mutant.h"

namespace {
struct Both : Steps {
  std::vector<Mode> registries(Mode /*own*/) override { return {Mode::portable, Mode::aten}; }
};
}  // namespace

AOTI_DELEGATE_MUTANT(Both)
