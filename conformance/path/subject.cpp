// See subject.h.
#include "path/subject.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <utility>

namespace aoti_cts::path {

Subject& subject() {
  static Subject the_one;
  return the_one;
}

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw InterfaceError(fmt::format("{}: {}", subject().plugin, what));
}

/// The table has what this version of the interface calls. What lies beyond its struct_size is not
/// looked at.
void check_table(const AotiCtsLoader& table) {
  const bool has_version = table.struct_size >= offsetof(AotiCtsLoader, name);
  if (has_version && table.version != AOTI_CTS_LOADER_VERSION) {
    refuse(fmt::format("version {} of the interface, where {} is needed", table.version,
                       AOTI_CTS_LOADER_VERSION));
  }
  constexpr size_t first_version = offsetof(AotiCtsLoader, load_on);
  if (table.struct_size < first_version) {
    refuse(fmt::format("struct_size {} of its AotiCtsLoader, where {} is needed", table.struct_size,
                       first_version));
  }
  const std::pair<const char*, bool> functions[] = {{"load", table.load != nullptr},
                                                    {"destroy", table.destroy != nullptr}};
  for (const auto& [name, there] : functions) {
    if (!there) refuse(fmt::format("its AotiCtsLoader has no {}()", name));
  }
}

}  // namespace

const AotiCtsLoader& open_subject() {
  void* const handle = dlopen(subject().plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  void* const entry = dlsym(handle, "aoti_cts_loader");
  if (entry == nullptr) refuse("exports no aoti_cts_loader()");
  const AotiCtsLoader* const table = reinterpret_cast<const AotiCtsLoader* (*)()>(entry)();
  if (table == nullptr) refuse("aoti_cts_loader() returned null");
  check_table(*table);
  return *table;
}

std::vector<uint8_t> blob(const std::string& name) {
  const std::string path = fmt::format("{}/{}.so", subject().blobs, name);
  std::ifstream file(path, std::ios::binary);
  std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file),
                             std::istreambuf_iterator<char>()};
  if (!file || bytes.empty()) throw std::runtime_error(path + ": cannot be read");
  return bytes;
}

}  // namespace aoti_cts::path
