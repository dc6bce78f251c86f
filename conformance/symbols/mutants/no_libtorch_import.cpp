// clause: SYM.no-libtorch-import
// A plain shim is imported, which binds to libtorch.
//
// build no_libtorch_import-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// args: $folder/no_libtorch_import-candidate.so --prefix executorch_
#include "complete.h"
extern "C" void aoti_torch_zeros();
void (*used)() = aoti_torch_zeros;
