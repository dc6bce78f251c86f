// A library without one export: GNU ld then leaves DT_GNU_HASH empty and silent about the number of
// symbols.
//
// build imports-only.so: gcc -shared -fPIC -fvisibility=hidden -nostartfiles -Wl,--hash-style=gnu $src -o $out
// build imports-only-sysv.so: gcc -shared -fPIC -fvisibility=hidden -nostartfiles -Wl,--hash-style=sysv $src -o $out
// build imports-only-lld.so: clang -shared -fPIC -fvisibility=hidden -nostartfiles -fuse-ld=lld -Wl,--hash-style=gnu $src -o $out
// build imports-only-gold.so: gcc -shared -fPIC -fvisibility=hidden -nostartfiles -fuse-ld=gold -Wl,--hash-style=gnu $src -o $out
// build imports-only-nosections.so: gcc -shared -fPIC -fvisibility=hidden -nostartfiles -Wl,--hash-style=gnu $src -o $out && llvm-objcopy --strip-sections $out
extern int imported_one(void), imported_two(void);
int inside(void) { return imported_one() + imported_two(); }
