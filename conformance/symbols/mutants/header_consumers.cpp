// clause: SYM.header-consumers
// The installed header renames all shims but one.
//
// build header_consumers-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// args: $folder/header_consumers-candidate.so --prefix executorch_ --header $here/header_late.h
#include "complete.h"
