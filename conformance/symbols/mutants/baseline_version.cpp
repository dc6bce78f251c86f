// clause: SYM.baseline
// A shim has lost its version node.
//
// build baseline_version-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// args: $folder/baseline_version-candidate.so --prefix executorch_ --baseline $here/baseline_version.json
#include "complete.h"
