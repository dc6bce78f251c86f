// No symbol but the null symbol.
//
// build empty.so: gcc -shared -nostdlib -Wl,--hash-style=gnu $src -o $out
// build empty-sysv.so: gcc -shared -nostdlib -Wl,--hash-style=sysv $src -o $out
// build empty-lld.so: clang -shared -nostdlib -fuse-ld=lld -Wl,--hash-style=both $src -o $out
typedef int nothing_at_all;
