// A runtime in name only: every core shim of the manifest under a prefix, each doing nothing. A
// mutant of the static half includes it and adds its one fault.
//
// MUTANT_PREFIX  what stands before each name; executorch_ where it is not defined
//
// A shim is left out by renaming it on the command line: -Dexecutorch_aoti_torch_clone=something.
#ifndef MUTANT_PREFIX
#define MUTANT_PREFIX executorch_
#endif
#include <aoti_shim/types.h>

#define MUTANT_JOIN2(a, b) a##b
#define MUTANT_JOIN(a, b) MUTANT_JOIN2(a, b)
#define EXPORT extern "C" __attribute__((visibility("default")))

#define MUTANT_core(ret, name, params)                 \
  EXPORT ret MUTANT_JOIN(MUTANT_PREFIX, name) params { \
    using Result = ret;                                \
    return Result();                                   \
  }
#define MUTANT_extension(ret, name, params)
#define MUTANT_cuda(ret, name, params)
#define MUTANT_cuda_ops(ret, name, params)
#define MUTANT_torch(ret, name, params)
#define AOTI_SHIM(tier, origin, ret, name, params) MUTANT_##tier(ret, name, params)
#include <aoti_shim/shims.def>
#undef AOTI_SHIM
