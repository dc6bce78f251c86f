// clause: SYM.well-formed
// The library has no SONAME.
//
// build well_formed_soname-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi $src -o $out
// args: $folder/well_formed_soname-candidate.so --prefix executorch_
#include "complete.h"
