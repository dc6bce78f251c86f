// clause: SYM.complete
// One core shim is exported as data.
//
// build complete_data-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so -Dexecutorch_aoti_torch_item_bool=hidden_one $src -o $out
// args: $folder/complete_data-candidate.so --prefix executorch_ --allow hidden_one
#include "complete.h"
#undef executorch_aoti_torch_item_bool
EXPORT int executorch_aoti_torch_item_bool;
int executorch_aoti_torch_item_bool = 1;
