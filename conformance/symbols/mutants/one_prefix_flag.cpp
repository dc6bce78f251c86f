// clause: SYM.one-prefix
// The build flags say another prefix.
//
// build one_prefix_flag-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// args: $folder/one_prefix_flag-candidate.so --prefix executorch_ --build-flags=-DSHIM_PREFIX=acme_
#include "complete.h"
