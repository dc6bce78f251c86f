// The same few names as Mach-O, universal Mach-O, PE with forwarders, import library and archive.
//
// build foreign-arm64.dylib: clang --target=arm64-apple-macos11 -c $src -o $work/a.o && ld64.lld -dylib -arch arm64 -platform_version macos 11.0 11.0 -undefined dynamic_lookup -install_name @rpath/foreign.dylib $work/a.o -o $out
// build foreign-x86_64.dylib: clang --target=x86_64-apple-macos11 -c $src -o $work/x.o && ld64.lld -dylib -arch x86_64 -platform_version macos 11.0 11.0 -undefined dynamic_lookup $work/x.o -o $out
// build foreign-universal.dylib: llvm-lipo -create $folder/foreign-arm64.dylib $folder/foreign-x86_64.dylib -output $out
// build foreign-empty.dylib: echo 'static int nothing;' | clang --target=arm64-apple-macos11 -x c -c - -o $work/e.o && ld64.lld -dylib -arch arm64 -platform_version macos 11.0 11.0 $work/e.o -o $out
// build foreign.dll: clang --target=x86_64-windows-msvc -c $src -o $work/w.obj && lld-link -dll -noentry -force:unresolved -export:plain_function -export:plain_data,DATA -export:forwarded=OTHER.function -export:numbered=weak_function,@40,NONAME -implib:$work/foreign.lib -out:$out $work/w.obj 2>/dev/null
// build foreign-import.lib: cp $work/foreign.lib $out
// build foreign-gnu.a: gcc -c -fPIC $src -o $work/g.o && g++ -c -fPIC $here/unique.cpp -o $work/u.o && ar rcs $out $work/g.o $work/u.o
// build foreign-ppc64be.a: clang --target=powerpc64-linux-gnu -c -fPIC $src -o $work/p.o && llvm-ar rcs $out $work/p.o
// build foreign-macho.a: clang --target=arm64-apple-macos11 -DNO_HIDDEN -c $src -o $work/m.o && llvm-ar rcs --format=darwin $out $work/m.o
int plain_data = 7;
extern int imported_function(int);
__attribute__((weak)) int weak_function(void) { return 1; }
#if !defined(_WIN32) && !defined(NO_HIDDEN)
__attribute__((visibility("hidden"))) int hidden_function(void) { return 3; }
#endif
int plain_function(void) { return imported_function(plain_data) + weak_function(); }
