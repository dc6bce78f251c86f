// clause: SYM.atomic
// One shim is exported under a third prefix as well.
//
// build atomic_export-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// args: $folder/atomic_export-candidate.so --prefix executorch_
#include "complete.h"
EXPORT void acme_aoti_torch_clone() {}
