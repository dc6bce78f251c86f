// What the dynamic section says of a library as a whole: search paths, executable stack, text
// relocations, -Bsymbolic, build id.
//
// build flags-rpath.so: gcc -shared -fPIC -Wl,--disable-new-dtags,-rpath,/zoo/rpath $src -o $out
// build flags-runpath.so: gcc -shared -fPIC -Wl,--enable-new-dtags,-rpath,/zoo/runpath $src -o $out
// build flags-execstack.so: gcc -shared -fPIC -Wl,-z,execstack $src -o $out
// build flags-textrel.so: clang --target=i386-linux-gnu -nostdlib -shared -fno-pic -fuse-ld=lld -Wl,-z,notext $src -o $out
// build flags-symbolic.so: gcc -shared -fPIC -Wl,-Bsymbolic,-z,nodelete $src -o $out
// build flags-buildid.so: gcc -shared -fPIC -Wl,--build-id=0x0123456789abcdef $src -o $out
// build flags-needed.so: gcc -shared -fPIC -Wl,--no-as-needed $src -o $out -lm
int shared_data = 1;
int zoo_function(void) { return shared_data; }
