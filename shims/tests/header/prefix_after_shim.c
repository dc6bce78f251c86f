/* Must not compile: the prefix comes after declarations that were made without it. */
#define AOTI_SHIM_SHIM_H
#include <aoti_shim/prefix.h>
