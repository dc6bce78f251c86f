// clause: SYM.atomic
// A shim of a third prefix is imported.
//
// build atomic_import-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// args: $folder/atomic_import-candidate.so --prefix executorch_
#include "complete.h"
extern "C" void acme_aoti_torch_clone();
void (*used)() = acme_aoti_torch_clone;
