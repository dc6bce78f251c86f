// A host that names no shim: it asks by dlsym which shims of tiers core and extension it offers,
// as a compiled model's loader would. Linked with a static shim library it shows whether they
// survived the link; given a library, it asks that one.
//
//   host PREFIX all|none [LIBRARY]
//
// Prints how many were found; exit 0 when that is what was expected.
#include <aoti_shim/table.h>
#include <dlfcn.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace {

struct Count {
  int found = 0;
  int asked = 0;
};

Count count_shims(void* library, const std::string& prefix) {
  Count count;
  for (const AotiShimRow& row : aoti_shim_rows) {
    const std::string_view tier = row.tier;
    if (tier != "core" && tier != "extension") continue;
    ++count.asked;
    if (dlsym(library, (prefix + row.name).c_str()) != nullptr) {
      ++count.found;
    } else {
      std::fprintf(stderr, "not found: %s%s\n", prefix.c_str(), row.name);
    }
  }
  return count;
}

// What was found has to work as well: ask for a code and compare.
bool answers(void* library, const std::string& prefix) {
  const auto getter = reinterpret_cast<decltype(AotiShimTable::aoti_torch_dtype_float32)>(
      dlsym(library, (prefix + "aoti_torch_dtype_float32").c_str()));
  return getter != nullptr && getter() == 6;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "usage: host PREFIX all|none [LIBRARY]\n");
    return 2;
  }
  const std::string prefix = argv[1];
  const bool expect_all = std::string_view(argv[2]) == "all";
  void* const library = dlopen(argc == 4 ? argv[3] : nullptr, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  const Count count = count_shims(library, prefix);
  std::printf("%d of %d shims with prefix '%s'\n", count.found, count.asked, prefix.c_str());
  if (!expect_all) return count.found == 0 ? 0 : 1;
  return count.found == count.asked && answers(library, prefix) ? 0 : 1;
}
