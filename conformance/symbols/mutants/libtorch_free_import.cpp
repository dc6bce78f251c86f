// clause: SYM.libtorch-free
// A slim candidate imports a function of namespace c10.
//
// build libtorch_free_import-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// args: $folder/libtorch_free_import-candidate.so --prefix executorch_
#include "complete.h"
namespace c10 {
int device_count();
}
int (*used)() = c10::device_count;
