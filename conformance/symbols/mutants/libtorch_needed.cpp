// clause: BLOB.libtorch-needed
// The blob of a slim runtime needs libtorch.
//
// build libtorch_needed-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// build libtorch_needed-libtorch_cpu.so: echo | gcc -x c -shared -Wl,-soname,libtorch_cpu.so - -o $out
// build libtorch_needed-blob.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -DBLOB $src -o $out -Wl,--no-as-needed $folder/libtorch_needed-libtorch_cpu.so
// args: $folder/libtorch_needed-candidate.so --prefix executorch_ --blob $folder/libtorch_needed-blob.so
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
#endif
