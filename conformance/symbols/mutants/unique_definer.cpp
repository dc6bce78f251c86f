// clause: SYM.unique-definer
// Two libraries of one candidate define the same shim.
//
// build unique_definer-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// build unique_definer-second.so: echo 'int executorch_aoti_torch_clone(void) { return 0; }' | gcc -x c -shared -fPIC -nostdlib -Wl,-soname,second.so - -o $out
// args: $folder/unique_definer-candidate.so $folder/unique_definer-second.so --prefix executorch_
#include "complete.h"
