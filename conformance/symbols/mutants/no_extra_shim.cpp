// clause: SYM.no-extra
// A prefixed name of a shim's form is exported that no manifest row has.
//
// build no_extra_shim-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// args: $folder/no_extra_shim-candidate.so --prefix executorch_
#include "complete.h"
EXPORT void executorch_aoti_torch_no_such_shim() {}
