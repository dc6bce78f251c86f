// clause: none
// No fault: with everything given, every clause passes.
//
// build none-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// build none-libtorch.so: echo 'void aoti_torch_clone(void) {} int weak_one;' | gcc -x c -shared -fPIC - -o $out
// build none-blob.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -DBLOB $src -o $out
// build none-archive.a: g++ -std=c++20 -w -c -fPIC -ffunction-sections -fvisibility=hidden -I$abi $src -o $work/a.o && ar rcs $out $work/a.o
// args: $folder/none-candidate.so --prefix executorch_ --against $folder/none-libtorch.so --blob $folder/none-blob.so --baseline $here/none.json --header $here/none.h --build-flags=-DSHIM_PREFIX=executorch_ --exporter-prefix executorch_ --mode portable --allow allowed_one
#ifndef BLOB
#include "complete.h"
namespace executorch::runtime {
class Backend;
int register_backend(const Backend&);
namespace aten {
int register_backend(const Backend&);
}
}  // namespace executorch::runtime
void* registers =
    (void*)(int (*)(const executorch::runtime::Backend&))executorch::runtime::register_backend;
EXPORT void executorch_aoti_torch_cuda_int4_plain_mm() {}
EXPORT void allowed_one() {}
#else
#define ENTRY(name) \
  extern "C" __attribute__((visibility("default"))) void AOTInductorModelContainer##name() {}
ENTRY(CreateWithDevice)
ENTRY(Delete)
ENTRY(GetNumInputs)
ENTRY(GetNumOutputs)
ENTRY(Run)
extern "C" void executorch_aoti_torch_clone();
void (*bound)() = executorch_aoti_torch_clone;
#endif
