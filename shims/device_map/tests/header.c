/* Compiles the plug-in header as C11: success is that this builds. */
#include <aoti_plugin/device_map.h>

_Static_assert(offsetof(AotiMapHook, struct_size) == 0, "the size comes first");
_Static_assert(offsetof(AotiMapOverrides, struct_size) == 0, "the size comes first");
_Static_assert(offsetof(AotiMapValue, struct_size) == 0, "the size comes first");

const AotiMapHook* aoti_plugin_device_map(uint32_t version) {
  static const AotiMapHook hook = {.struct_size = sizeof(AotiMapHook), .version = AOTI_MAP_VERSION};
  return version == AOTI_MAP_VERSION ? &hook : NULL;
}
