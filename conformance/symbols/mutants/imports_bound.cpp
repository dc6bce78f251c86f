// clause: BLOB.imports-bound
// The blob imports a prefixed shim that the runtime lacks.
//
// build imports_bound-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// build imports_bound-blob.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -DBLOB $src -o $out
// args: $folder/imports_bound-candidate.so --prefix executorch_ --blob $folder/imports_bound-blob.so
#ifndef BLOB
#include "complete.h"
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
extern "C" void executorch_aoti_torch_cpu_addmm_out();
void (*used)() = executorch_aoti_torch_cpu_addmm_out;
#endif
