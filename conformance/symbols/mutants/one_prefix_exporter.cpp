// clause: SYM.one-prefix
// The exporter compiles models for another prefix.
//
// build one_prefix_exporter-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// args: $folder/one_prefix_exporter-candidate.so --prefix executorch_ --exporter-prefix acme_
#include "complete.h"
