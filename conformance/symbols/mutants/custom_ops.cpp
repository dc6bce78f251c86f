// clause: SYM.custom-ops
// A hand-written operator shim has another prefix.
//
// build custom_ops-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// args: $folder/custom_ops-candidate.so --prefix executorch_
#include "complete.h"
EXPORT void acme_aoti_torch_cuda_int4_plain_mm() {}
