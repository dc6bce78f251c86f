// clause: SYM.survives-gc
// An archive that is published to be linked like any other: every shim is lost.
//
// build survives_gc_bare-archive.a: g++ -std=c++20 -w -c -fPIC -ffunction-sections -fvisibility=hidden -I$abi $src -o $work/a.o && ar rcs $out $work/a.o
// args: $folder/survives_gc_bare-archive.a --prefix executorch_ --link-args $folder/survives_gc_bare-archive.a
#include "complete.h"
