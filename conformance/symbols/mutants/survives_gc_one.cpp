// clause: SYM.survives-gc
// Whole-archive flags alone keep no shim in an executable whose options hide what archives hold.
//
// build survives_gc_one-archive.a: g++ -std=c++20 -w -c -fPIC -ffunction-sections -fvisibility=hidden -I$abi $src -o $work/a.o && ar rcs $out $work/a.o
// args: $folder/survives_gc_one-archive.a --prefix executorch_ --link-args="-Wl,--exclude-libs,ALL -Wl,--whole-archive $folder/survives_gc_one-archive.a -Wl,--no-whole-archive"
#include "complete.h"
