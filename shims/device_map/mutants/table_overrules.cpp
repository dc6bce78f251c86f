// clause: MAP.out-of-tree
// A module-level table exists, and what is assigned to it overrules the overrides.
#include "device_map/hook.h"

namespace {

using namespace aoti_cts::device_map;

class Mutant : public HookedRegistry {
 public:
  bool has_table() const override { return true; }
  void assign_table(const std::vector<std::pair<std::string, std::string>>& entries) override {
    table_ = entries;
  }
  std::string aten_device_type(std::string_view device) override {
    for (const auto& [name, answer] : table_) {
      if (name == device) return answer;
    }
    return HookedRegistry::aten_device_type(device);
  }

 private:
  std::vector<std::pair<std::string, std::string>> table_;
};

}  // namespace

AOTI_MAP_PLUGIN(Mutant)
