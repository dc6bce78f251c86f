// clause: SYM.prefixed
// One shim is exported under its plain name as well.
//
// build prefixed-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// args: $folder/prefixed-candidate.so --prefix executorch_
#include "complete.h"
EXPORT void aoti_torch_clone() {}
