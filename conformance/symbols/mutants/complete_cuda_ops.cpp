// clause: SYM.complete-cuda-ops
// No shim of the cuda_ops profile is exported.
//
// build complete_cuda_ops-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// args: $folder/complete_cuda_ops-candidate.so --prefix executorch_ --profile core,cuda_ops
#include "complete.h"
