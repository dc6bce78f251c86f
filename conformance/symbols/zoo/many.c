// A thousand exports, so that hash tables have many buckets and long chains.
//
// build many-gnu.so: gcc -shared -fPIC -Wl,--hash-style=gnu $src -o $out
// build many-lld.so: clang -shared -fPIC -fuse-ld=lld -Wl,--hash-style=gnu $src -o $out
// build many-nosections.so: gcc -shared -fPIC -Wl,--hash-style=gnu $src -o $out && llvm-objcopy --strip-sections $out
// build many-sysv.so: gcc -shared -fPIC -Wl,--hash-style=sysv $src -o $out
// build many-ppc32be.so: clang --target=powerpc-linux-gnu -nostdlib -shared -fPIC -fuse-ld=lld -Wl,--hash-style=both $src -o $out
#define ONE(a, b, c) \
  int many_##a##b##c(void) { return a * 100 + b * 10 + c; }
#define TEN(a, b) \
  ONE(a, b, 0)    \
  ONE(a, b, 1)    \
  ONE(a, b, 2)    \
  ONE(a, b, 3) ONE(a, b, 4) ONE(a, b, 5) ONE(a, b, 6) ONE(a, b, 7) ONE(a, b, 8) ONE(a, b, 9)
#define HUNDRED(a) \
  TEN(a, 0)        \
  TEN(a, 1) TEN(a, 2) TEN(a, 3) TEN(a, 4) TEN(a, 5) TEN(a, 6) TEN(a, 7) TEN(a, 8) TEN(a, 9)
HUNDRED(0)
HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4) HUNDRED(5) HUNDRED(6) HUNDRED(7) HUNDRED(8) HUNDRED(9)
