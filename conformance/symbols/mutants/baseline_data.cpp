// clause: SYM.baseline
// A shim has turned from function to data.
//
// build baseline_data-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// args: $folder/baseline_data-candidate.so --prefix executorch_ --baseline $here/baseline_data.json
#include "complete.h"
EXPORT int executorch_aoti_torch_cuda_int4_plain_mm;
int executorch_aoti_torch_cuda_int4_plain_mm = 1;
