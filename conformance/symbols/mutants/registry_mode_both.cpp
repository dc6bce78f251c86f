// clause: SYM.registry-mode
// The backend goes into both registries.
//
// build registry_mode_both-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// args: $folder/registry_mode_both-candidate.so --prefix executorch_
#include "complete.h"
namespace executorch::runtime {
class Backend;
int register_backend(const Backend&);
namespace aten {
int register_backend(const Backend&);
}
}  // namespace executorch::runtime
void* used[] = {
    (void*)(int (*)(const executorch::runtime::Backend&))executorch::runtime::register_backend,
    (void*)(int (*)(
        const executorch::runtime::Backend&))executorch::runtime::aten::register_backend};
