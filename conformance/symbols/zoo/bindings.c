// Every visibility, binding and type that C can give a symbol, on each machine form: word size and
// byte order, and each kind of hash table.
//
// build bindings-gnu.so: gcc -shared -fPIC -Wl,--hash-style=gnu,-soname,bindings.so $src -o $out
// build bindings-sysv.so: gcc -shared -fPIC -Wl,--hash-style=sysv $src -o $out
// build bindings-both.so: gcc -shared -fPIC -Wl,--hash-style=both $src -o $out
// build bindings-gold.so: gcc -shared -fPIC -fuse-ld=gold -Wl,--hash-style=gnu $src -o $out
// build bindings-lld.so: clang -shared -fPIC -fuse-ld=lld -Wl,--hash-style=both $src -o $out
// build bindings-nosections.so: gcc -shared -fPIC $src -o $out && llvm-objcopy --strip-sections $out
// build bindings-sysv-nosections.so: gcc -shared -fPIC -Wl,--hash-style=sysv $src -o $out && llvm-objcopy --strip-sections $out
// build bindings-i386.so: clang --target=i386-linux-gnu -nostdlib -shared -fPIC -fuse-ld=lld -Wl,--hash-style=gnu $src -o $out
// build bindings-aarch64.so: clang --target=aarch64-linux-gnu -nostdlib -shared -fPIC -fuse-ld=lld -Wl,--hash-style=both $src -o $out
// build bindings-arm.so: clang --target=armv7-linux-gnueabi -nostdlib -shared -fPIC -fuse-ld=lld -Wl,--hash-style=sysv $src -o $out
// build bindings-riscv64.so: clang --target=riscv64-linux-gnu -nostdlib -shared -fPIC -fuse-ld=lld -Wl,--hash-style=gnu $src -o $out
// build bindings-ppc32be.so: clang --target=powerpc-linux-gnu -nostdlib -shared -fPIC -fuse-ld=lld -Wl,--hash-style=both $src -o $out
// build bindings-ppc64be-gnu.so: clang --target=powerpc64-linux-gnu -mabi=elfv2 -nostdlib -shared -fPIC -fuse-ld=lld -Wl,--hash-style=gnu $src -o $out
// build bindings-ppc64be-sysv.so: clang --target=powerpc64-linux-gnu -mabi=elfv2 -nostdlib -shared -fPIC -fuse-ld=lld -Wl,--hash-style=sysv $src -o $out
// build bindings-ppc64be-nosections.so: clang --target=powerpc64-linux-gnu -mabi=elfv2 -nostdlib -shared -fPIC -fuse-ld=lld $src -o $out && llvm-objcopy --strip-sections $out
// build bindings-mips32be.so: clang --target=mips-linux-gnu -nostdlib -shared -fPIC -fuse-ld=lld -Wl,--hash-style=sysv $src -o $out
// build bindings-mips64be.so: clang --target=mips64-linux-gnuabi64 -nostdlib -shared -fPIC -fuse-ld=lld -Wl,--hash-style=sysv $src -o $out
#define VIS(kind) __attribute__((visibility(#kind)))

int plain_data = 7;
int plain_zeroed[64];
const int plain_constant = 5;
_Thread_local int plain_tls = 3;
_Thread_local VIS(hidden) int hidden_tls = 3;
VIS(hidden) int hidden_data = 1;
VIS(protected) int protected_data = 2;
VIS(internal) int internal_data = 4;

extern int imported_data;
extern int imported_weak_data __attribute__((weak));
extern int imported_function(int);
extern int imported_weak_function(int) __attribute__((weak));

VIS(hidden) int hidden_function(void) { return hidden_data; }
VIS(internal) int internal_function(void) { return internal_data; }
VIS(protected) int protected_function(void) { return protected_data; }
__attribute__((weak)) int weak_function(void) { return 1; }
__attribute__((weak)) int weak_data = 6;
int plain_function(void) {
  return hidden_function() + internal_function() + protected_function() + weak_function() +
         hidden_tls;
}
int uses_imports(void) {
  int sum = imported_function(imported_data);
  if (imported_weak_function) sum += imported_weak_function(1);
  if (&imported_weak_data) sum += imported_weak_data;
  return sum;
}
extern int alias_of_plain(void) __attribute__((alias("plain_function")));
