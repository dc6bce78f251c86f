/* The shim ABI as a C header (C11 and C++20): a declaration for each line of the manifest.
 *
 * The first include decides under which names they are declared: <aoti_shim/prefix.h> is generated
 * for each shim library and found through that library's include directory, so that whoever links a
 * library reads its prefix too. It has to come before the declarations: a rename that follows them
 * would rename nothing and export nothing, without a word (prefix.h stops the build when it sees
 * that).
 */
#ifndef AOTI_SHIM_SHIM_H
#include <aoti_shim/prefix.h>
#define AOTI_SHIM_SHIM_H

#include <aoti_shim/types.h>

/* Exported from the library that defines it, whatever -fvisibility says. */
#define AOTI_SHIM_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

#define AOTI_SHIM(tier, origin, ret, name, params) AOTI_SHIM_EXPORT ret name params;
#include <aoti_shim/extensions.def>
#include <aoti_shim/shims.def>
#undef AOTI_SHIM

#ifdef __cplusplus
}
#endif

#endif /* AOTI_SHIM_SHIM_H */
