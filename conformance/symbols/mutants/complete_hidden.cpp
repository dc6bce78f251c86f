// clause: SYM.complete
// One core shim is there and hidden.
//
// build complete_hidden-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// args: $folder/complete_hidden-candidate.so --prefix executorch_
#include "complete.h"
asm(".hidden executorch_aoti_torch_clone");
