// Reads a model's library: a .so as it is, or the one library of a .pt2 package, which is a zip.
#include <fmt/format.h>
#include <zip.h>

#include <fstream>
#include <memory>
#include <sstream>

#include "blobs/host.h"

namespace aoti_cts::blobs {
namespace {

/// More than any blob that keeps its weights outside; a package is untrusted.
constexpr uint64_t max_library_bytes = uint64_t{4} << 30U;

struct CloseZip {
  void operator()(zip_t* zip) const { zip_discard(zip); }
};
struct CloseMember {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

/// The index of the one member that is a library.
uint64_t find_library(zip_t* zip, const std::string& path) {
  int64_t found = -1;
  const int64_t members = zip_get_num_entries(zip, 0);
  for (int64_t i = 0; i < members; ++i) {
    const char* name = zip_get_name(zip, static_cast<uint64_t>(i), 0);
    if (name == nullptr || !std::string_view(name).ends_with(".so")) continue;
    if (found >= 0) {
      throw Error(fmt::format("{}: holds several libraries, {} and {}: give one model at a time",
                              path, zip_get_name(zip, static_cast<uint64_t>(found), 0), name));
    }
    found = i;
  }
  if (found < 0) {
    throw Error(fmt::format("{}: a package with {} members and no library (*.so) among them", path,
                            members));
  }
  return static_cast<uint64_t>(found);
}

std::string read_package(const std::string& path) {
  int code = 0;
  const std::unique_ptr<zip_t, CloseZip> zip(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (!zip) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string text = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw Error(fmt::format("{}: {}", path, text));
  }
  const uint64_t index = find_library(zip.get(), path);
  zip_stat_t stat;
  if (zip_stat_index(zip.get(), index, 0, &stat) != 0) {
    throw Error(fmt::format("{}: {}", path, zip_strerror(zip.get())));
  }
  if (stat.size > max_library_bytes) {
    throw Error(fmt::format("{}: member {} has {} bytes, at most {} are read", path, stat.name,
                            stat.size, max_library_bytes));
  }
  const std::unique_ptr<zip_file_t, CloseMember> file(zip_fopen_index(zip.get(), index, 0));
  std::string bytes(stat.size, '\0');
  if (!file ||
      zip_fread(file.get(), bytes.data(), bytes.size()) != static_cast<int64_t>(bytes.size())) {
    throw Error(fmt::format("{}: member {}: {}", path, stat.name, zip_strerror(zip.get())));
  }
  return bytes;
}

}  // namespace

std::string read_model(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw Error(fmt::format("{}: cannot be read", path));
  std::string bytes = std::move(text).str();
  if (bytes.starts_with("PK")) return read_package(path);
  if (!bytes.starts_with("\177ELF")) {
    throw Error(fmt::format("{}: neither an ELF library nor a .pt2 package (a zip)", path));
  }
  return bytes;
}

}  // namespace aoti_cts::blobs
