// Reads a model's library: a .so as it is, or the one library of a .pt2 package, which is a zip.
#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <sstream>

#include "blobs/host.h"
#include "blobs/zip.h"

namespace aoti_cts::blobs {
namespace {

/// More than any blob has that keeps its weights outside.
constexpr uint64_t max_library_bytes = uint64_t{4} << 30U;

std::string read_package(const std::string& path) {
  const Zip zip(path);
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < zip.names().size(); ++i) {
    if (!zip.names()[i].ends_with(".so")) continue;
    if (found) {
      throw Error(fmt::format("{}: holds several libraries, {} and {}: give one model at a time",
                              path, zip.names()[*found], zip.names()[i]));
    }
    found = i;
  }
  if (!found) {
    throw Error(fmt::format("{}: a package of {} members and no library (*.so) among them", path,
                            zip.names().size()));
  }
  return zip.read(*found, max_library_bytes);
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
