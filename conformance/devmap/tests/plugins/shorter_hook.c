/* Claims a hook without lookup(). */
#define HOOK_SIZE offsetof(AotiMapHook, lookup)
#include "minimal.c"
