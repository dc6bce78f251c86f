// Reads a model's library: a .so as it is, or the one library of a .pt2 package, which is a zip
// that the helper process of `aoti-cts symbols` inflates.
#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <span>
#include <sstream>

#include "blobs/host.h"
#include "symbols/foreign.h"

namespace aoti_cts::blobs {
namespace {

/// More than any blob that keeps its weights outside; a package is untrusted.
constexpr uint64_t max_library_bytes = uint64_t{4} << 30U;

/// The one member that is a library.
const symbols::ZipMember& find_library(const std::vector<symbols::ZipMember>& members,
                                       const std::string& path) {
  const symbols::ZipMember* found = nullptr;
  for (const symbols::ZipMember& member : members) {
    if (!member.name.ends_with(".so")) continue;
    if (found != nullptr) {
      throw Error(fmt::format("{}: holds several libraries, {} and {}: give one model at a time",
                              path, found->name, member.name));
    }
    found = &member;
  }
  if (found == nullptr) {
    throw Error(fmt::format("{}: a package with {} members and no library (*.so) among them", path,
                            members.size()));
  }
  return *found;
}

std::string read_package(const std::string& path) {
  try {
    const std::unique_ptr<symbols::FileInput> zip = symbols::FileInput::open(path);
    const std::vector<symbols::ZipMember> members = list_zip(*zip);
    const symbols::ZipMember& member = find_library(members, path);
    if (member.size > max_library_bytes) {
      throw Error(fmt::format("{}: member {} has {} bytes, at most {} are read", path, member.name,
                              member.size, max_library_bytes));
    }
    const std::unique_ptr<symbols::FileInput> library = open_member(*zip, member);
    std::string bytes(library->size(), '\0');
    library->read(0, std::as_writable_bytes(std::span(bytes)), "library");
    return bytes;
  } catch (const symbols::BadFile& error) {
    throw Error(error.what());
  }
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
