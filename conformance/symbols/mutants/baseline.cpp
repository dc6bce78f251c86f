// clause: SYM.baseline
// A shim that the baseline has is gone.
//
// build baseline-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// args: $folder/baseline-candidate.so --prefix executorch_ --baseline $here/baseline.json
#include "complete.h"
