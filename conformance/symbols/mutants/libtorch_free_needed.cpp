// clause: SYM.libtorch-free
// A slim candidate needs libtorch.
//
// build libtorch_free_needed-libtorch_cpu.so: echo | gcc -x c -shared -Wl,-soname,libtorch_cpu.so - -o $out
// build libtorch_free_needed-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -Wl,--no-as-needed $folder/libtorch_free_needed-libtorch_cpu.so -o $out
// args: $folder/libtorch_free_needed-candidate.so --prefix executorch_
#include "complete.h"
