// clause: SYM.registry-mode
// A portable library registers in the registry of ATen mode.
//
// build registry_mode_wrong-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// args: $folder/registry_mode_wrong-candidate.so --prefix executorch_ --mode portable
#include "complete.h"
namespace executorch::runtime {
class Backend;
int register_backend(const Backend&);
namespace aten {
int register_backend(const Backend&);
}
}  // namespace executorch::runtime
void* used = (void*)(int (*)(
    const executorch::runtime::Backend&))executorch::runtime::aten::register_backend;
