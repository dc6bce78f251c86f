// clause: SYM.no-collision
// A strong symbol is exported that libtorch exports too.
//
// build no_collision_strong-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// build no_collision_strong-libtorch.so: echo 'int descriptor_table = 1;' | gcc -x c -shared -fPIC - -o $out
// args: $folder/no_collision_strong-candidate.so --prefix executorch_ --allow descriptor_table --against $folder/no_collision_strong-libtorch.so
#include "complete.h"
EXPORT int descriptor_table;
int descriptor_table = 2;
