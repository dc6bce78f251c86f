// clause: SYM.complete-cuda
// No shim of the cuda profile is exported.
//
// build complete_cuda-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// args: $folder/complete_cuda-candidate.so --prefix executorch_ --profile core,cuda
#include "complete.h"
