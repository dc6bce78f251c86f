/* Must not compile: the table's members would be spelled with a prefix from here on. */
/* clang-format off */
#include <aoti_shim/table.h>
#include <aoti_shim/prefix.h>
