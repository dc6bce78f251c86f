// clause: BLOB.entry-points
// The blob exports no Run.
//
// build entry_points-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// build entry_points-blob.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -DBLOB $src -o $out
// args: $folder/entry_points-candidate.so --prefix executorch_ --blob $folder/entry_points-blob.so
#ifndef BLOB
#include "complete.h"
#else
#define ENTRY(name) \
  extern "C" __attribute__((visibility("default"))) void AOTInductorModelContainer##name() {}
ENTRY(CreateWithDevice)
ENTRY(Delete)
ENTRY(GetNumInputs)
ENTRY(GetNumOutputs)
extern "C" void executorch_aoti_torch_clone();
void (*bound)() = executorch_aoti_torch_clone;
#endif
