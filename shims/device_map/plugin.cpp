// The reference mapping as a plug-in: what `aoti-cts check --profile map` judges when it is given
// no other mapping.
#include "device_map/hook.h"

AOTI_MAP_PLUGIN(aoti_cts::device_map::HookedRegistry)
