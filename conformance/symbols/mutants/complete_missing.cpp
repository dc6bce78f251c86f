// clause: SYM.complete
// One core shim is not exported.
//
// build complete_missing-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so -Dexecutorch_aoti_torch_item_bool=unrelated $src -o $out
// args: $folder/complete_missing-candidate.so --prefix executorch_ --allow unrelated
#include "complete.h"
