// Reads a model's library: a .so as it is, or the one library of a .pt2 package, which is a zip.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "blobs/host.h"
#include "blobs/zip.h"
#include "symbols/input.h"

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
  try {
    const auto file = symbols::FileInput::open(path);
    std::string magic(std::min<uint64_t>(file->size(), 4), '\0');
    file->read(0, std::as_writable_bytes(std::span(magic)), "magic");
    if (magic.starts_with("PK")) return read_package(path);
    if (magic != "\177ELF") {
      throw Error(fmt::format("{}: neither an ELF library nor a .pt2 package (a zip)", path));
    }
    if (file->size() > max_library_bytes) {
      throw Error(fmt::format("{}: has {} bytes, at most {} are read", path, file->size(),
                              max_library_bytes));
    }
    std::string bytes(file->size(), '\0');
    file->read(0, std::as_writable_bytes(std::span(bytes)), "library");
    return bytes;
  } catch (const symbols::BadFile& error) {
    throw Error(error.what());
  }
}

}  // namespace aoti_cts::blobs
