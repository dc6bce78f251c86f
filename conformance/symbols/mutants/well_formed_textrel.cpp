// clause: SYM.well-formed
// The code has to be written to when it is loaded.
//
// build well_formed_textrel-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so -Wl,-z,notext $src -o $out
// args: $folder/well_formed_textrel-candidate.so --prefix executorch_
#include "complete.h"
extern "C" __attribute__((visibility("hidden"))) int data;
int data = 1;
asm(".text\n.quad data\n");
