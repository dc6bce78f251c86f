// Version nodes: a default and two older versions of one function, nodes that need each other, and
// an import from a versioned library.
//
// build versioned.so: gcc -shared -fPIC -Wl,--version-script=$here/versioned.map,-soname,versioned.so.1 $src -o $out
// build versioned-lld.so: clang -shared -fPIC -fuse-ld=lld -Wl,--version-script=$here/versioned.map $src -o $out
// build versioned-sysv.so: gcc -shared -fPIC -Wl,--hash-style=sysv,--version-script=$here/versioned.map $src -o $out
// build versioned-nosections.so: gcc -shared -fPIC -Wl,--version-script=$here/versioned.map $src -o $out && llvm-objcopy --strip-sections $out
// build versioned-ppc64be.so: clang --target=powerpc64-linux-gnu -mabi=elfv2 -nostdlib -shared -fPIC -fuse-ld=lld -Wl,--version-script=$here/versioned.map $src -o $out
extern int puts(const char*);
int zoo_oldest(void) { return 1; }
int zoo_old(void) { return 2; }
int zoo_new(void) { return puts("new"); }
__asm__(".symver zoo_oldest, grown@ZOO_1");
__asm__(".symver zoo_old, grown@ZOO_2");
__asm__(".symver zoo_new, grown@@ZOO_3");
int only_first(void) { return 4; }
int local_by_script(void) { return 5; }
