/* Must not compile: the table names shims without a prefix. */
#include <aoti_shim/prefix.h>
#include <aoti_shim/table.h>
