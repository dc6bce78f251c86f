// clause: SYM.one-prefix
// The installed header says another prefix.
//
// build one_prefix_header-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// args: $folder/one_prefix_header-candidate.so --prefix executorch_ --header $here/header_acme.h
#include "complete.h"
