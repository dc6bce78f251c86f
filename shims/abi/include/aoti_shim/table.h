/* The shim ABI as a table of typed function pointers, which a loader fills by dlsym.
 *
 * Members carry the manifest's names without a prefix, so this header is for code that links no
 * shim library and never reads prefix.h. A member is null where the runtime lacks the shim.
 */
#ifndef AOTI_SHIM_TABLE_H
#define AOTI_SHIM_TABLE_H

#ifdef AOTI_SHIM_PREFIX
#error \
    "aoti_shim/table.h names shims without a prefix: do not read it together with aoti_shim/prefix.h"
#endif

#include <aoti_shim/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AotiShimTable {
#define AOTI_SHIM(tier, origin, ret, name, params) ret(*name) params;
#include <aoti_shim/extensions.def>
#include <aoti_shim/shims.def>
#undef AOTI_SHIM
} AotiShimTable;

/** One line of the manifest as data. */
typedef struct AotiShimRow {
  const char* tier;
  const char* origin;
  const char* name;      /**< without prefix */
  const char* signature; /**< "return type (parameters)" */
  size_t slot;           /**< offset of the member in AotiShimTable, in bytes */
} AotiShimRow;

#ifdef __cplusplus
}
#endif

/** All rows, extensions last; the array is static to the file that includes this header. */
static const AotiShimRow aoti_shim_rows[] = {
#define AOTI_SHIM(tier, origin, ret, name, params) \
  {#tier, #origin, #name, #ret " " #params, offsetof(AotiShimTable, name)},
#include <aoti_shim/extensions.def>
#include <aoti_shim/shims.def>
#undef AOTI_SHIM
};

enum { aoti_shim_row_count = sizeof(aoti_shim_rows) / sizeof(aoti_shim_rows[0]) };

#endif /* AOTI_SHIM_TABLE_H */
