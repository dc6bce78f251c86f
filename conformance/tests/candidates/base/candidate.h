// For candidates of the runner's tests: the manifest's declarations, unprefixed, and one macro.
#pragma once

#include <aoti_shim/types.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#define EXPORTED __attribute__((visibility("default")))
extern "C" {
#define AOTI_SHIM(tier, origin, ret, name, params) EXPORTED ret name params;
#include <aoti_shim/shims.def>
#undef AOTI_SHIM
}

/// Runs the body that follows while the library is being loaded.
#define AT_LOAD __attribute__((constructor)) static void at_load()
