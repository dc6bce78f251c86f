/* Must not compile: the second prefix comes after the header was read and would rename nothing. */
#include <aoti_shim/shim.h>
#include OTHER_PREFIX_H
