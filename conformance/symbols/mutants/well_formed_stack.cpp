// clause: SYM.well-formed
// The stack is executable.
//
// build well_formed_stack-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so -Wl,-z,execstack $src -o $out
// args: $folder/well_formed_stack-candidate.so --prefix executorch_
#include "complete.h"
