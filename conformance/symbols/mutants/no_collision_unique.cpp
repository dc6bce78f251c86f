// clause: SYM.no-collision
// An inline variable is one in the whole process, libtorch's included.
//
// build no_collision_unique-candidate.so: g++ -std=c++20 -w -shared -fPIC -fvisibility=hidden -nostdlib -I$abi -Wl,-soname,candidate.so $src -o $out
// build no_collision_unique-libtorch.so: g++ -std=c++20 -w -shared -fPIC -DONLY_THE_VARIABLE -I$abi $src -o $out
// args: $folder/no_collision_unique-candidate.so --prefix executorch_ --allow '_ZN6Shared5valueE' --against $folder/no_collision_unique-libtorch.so
#ifndef ONLY_THE_VARIABLE
#include "complete.h"
#endif
struct __attribute__((visibility("default"))) Shared {
  static inline int value = 1;
};
int use() { return ++Shared::value; }
