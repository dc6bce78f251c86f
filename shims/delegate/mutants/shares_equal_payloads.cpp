// clause: DELEGATE.same-content
// Delegates with the same payload share one loaded library.
#include <map>
#include <string>

#include "delegate/mutants/mutant.h"

namespace {
using aoti_cts::loader::TemporaryLibrary;

struct Shared : Steps {
  std::shared_ptr<TemporaryLibrary> load(std::span<const uint8_t> blob) override {
    auto& known = loaded_[std::string(blob.begin(), blob.end())];
    if (known == nullptr) known = Steps::load(blob);
    return known;
  }

 private:
  std::map<std::string, std::shared_ptr<TemporaryLibrary>> loaded_;
};
}  // namespace

AOTI_DELEGATE_MUTANT(Shared)
