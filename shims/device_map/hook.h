// The plug-in interface over any registry: AOTI_MAP_PLUGIN(Type) exports it. A mutant is a subclass
// of Registry and this one line.
#pragma once

#include <aoti_plugin/device_map.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "device_map/device_map.h"

namespace aoti_cts::device_map {

/// What the hook offers beside Registry; a mutant with a table overrides the last two.
class HookedRegistry : public Registry {
 public:
  virtual std::string code(std::string_view device, std::string_view operation);
  virtual bool has_table() const { return false; }
  virtual void assign_table(const std::vector<std::pair<std::string, std::string>>& entries);
};

/// The hook over registries that `make` makes. `with_table` offers assign_table.
const AotiMapHook* make_hook(HookedRegistry* (*make)(), bool with_table);

}  // namespace aoti_cts::device_map

#define AOTI_MAP_PLUGIN(Type)                                                                      \
  extern "C" const AotiMapHook* aoti_plugin_device_map(uint32_t version) {                         \
    if (version != AOTI_MAP_VERSION) return nullptr;                                               \
    static const AotiMapHook* const hook = ::aoti_cts::device_map::make_hook(                      \
        []() -> ::aoti_cts::device_map::HookedRegistry* { return new Type; }, Type{}.has_table()); \
    return hook;                                                                                   \
  }
