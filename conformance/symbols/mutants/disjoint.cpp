// clause: SYM.disjoint
// The libtorch it is held against exports one of the prefixed names.
//
// build disjoint-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// build disjoint-libtorch.so: echo 'void executorch_aoti_torch_clone(void) {}' | gcc -x c -shared -fPIC - -o $out
// args: $folder/disjoint-candidate.so --prefix executorch_ --against $folder/disjoint-libtorch.so
#include "complete.h"
