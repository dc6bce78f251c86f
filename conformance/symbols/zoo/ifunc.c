// A function whose address is chosen at load time (STT_GNU_IFUNC), and absolute symbols.
//
// build ifunc.so: gcc -shared -fPIC -Wl,--defsym=absolute_symbol=0x1234,--defsym=absolute_zero=0 $src -o $out
// build ifunc-lld.so: clang -shared -fPIC -fuse-ld=lld -Wl,--defsym=absolute_symbol=0x1234 $src -o $out
static int one(void) { return 1; }
static int (*resolve(void))(void) { return one; }
int chosen(void) __attribute__((ifunc("resolve")));
