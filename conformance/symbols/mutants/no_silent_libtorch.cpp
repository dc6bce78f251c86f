// clause: BLOB.no-silent-libtorch
// One token of the blob was not renamed.
//
// build no_silent_libtorch-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// build no_silent_libtorch-blob.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -DBLOB $src -o $out
// args: $folder/no_silent_libtorch-candidate.so --prefix executorch_ --blob $folder/no_silent_libtorch-blob.so
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
extern "C" void aoti_torch_get_dim();
void (*used)() = aoti_torch_get_dim;
#endif
