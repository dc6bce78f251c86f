// From what a user names to libraries: a file, a folder, a wheel or other zip, or `auto`.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "symbols/judge.h"

namespace aoti_cts::symbols {

/// Files that were opened already, by device and inode.
using SeenFiles = std::set<std::pair<uint64_t, uint64_t>>;

/// Remarks for the reader of the report, a line each.
using Notes = std::vector<std::string>;

/// Opens what `path` names and adds its libraries: the file itself, or those found in a folder or
/// a zip (by name: .so, .so.N, .dylib, .dll, .pyd, .a, .lib). Throws BadFile where one cannot be
/// read, or none is found. A file that was seen before, under whatever name, is not added again.
/// What bears such a name and is no library is an error in a zip, but for a linker script, and a
/// note in a folder.
void add_libraries(const std::string& path, Libraries& libraries, SeenFiles& seen, Notes& notes);

/// Whether the library itself exports a shim without a prefix.
bool exports_shims(Library& library);

/// The libraries of the torch that the active Python would import, those that export shims.
/// Throws std::runtime_error with what was tried where there is none.
void add_active_torch(Libraries& libraries, SeenFiles& seen, Notes& notes);

}  // namespace aoti_cts::symbols
