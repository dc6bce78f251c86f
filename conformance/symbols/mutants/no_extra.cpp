// clause: SYM.no-extra
// A helper function is exported.
//
// build no_extra-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// args: $folder/no_extra-candidate.so --prefix executorch_
#include "complete.h"
EXPORT void helper() {}
