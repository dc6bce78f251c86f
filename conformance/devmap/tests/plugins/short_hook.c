/* Built against an interface that ended with lookup(): conforming, as far as it goes. */
#define HOOK_SIZE offsetof(AotiMapHook, devices)
#include "minimal.c"
