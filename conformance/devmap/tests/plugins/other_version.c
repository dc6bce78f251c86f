/* Serves another version of the interface. */
#define SERVES(version) ((version) == AOTI_MAP_VERSION + 1)
#include "minimal.c"
