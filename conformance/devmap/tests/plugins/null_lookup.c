/* Leaves out a function that is not optional. */
#define HOOK_LOOKUP NULL
#define lookup unused_lookup
#include "minimal.c"
int32_t (*const aoti_unused)(void*, AotiMapText, AotiMapSink) = unused_lookup;
