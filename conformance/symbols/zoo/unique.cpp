// STB_GNU_UNIQUE from g++, plain weak from clang, for the same vague-linkage data.
//
// build unique.so: g++ -shared -fPIC $src -o $out
// build unique-weak.so: clang++ -std=c++17 -shared -fPIC $src -o $out
// build unique-sysv.so: g++ -shared -fPIC -Wl,--hash-style=sysv $src -o $out
template <class T>
struct Holder {
  static inline T value{};
  static T& local() {
    static T once{};
    return once;
  }
};
int use() { return Holder<int>::value + Holder<long>::local() > 0; }
