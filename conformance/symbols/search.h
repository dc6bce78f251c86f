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

/// Opens what `path` names and adds its libraries: the file itself, or those found in a folder or
/// a zip (by name: .so, .so.N, .dylib, .dll, .pyd, .a, .lib). Throws BadFile where one cannot be
/// read, or none is found. A file that was seen before, under whatever name, is not added again.
void add_libraries(const std::string& path, Libraries& libraries, SeenFiles& seen);

/// The libraries of the torch that the active Python would import, those that export shims.
/// Throws std::runtime_error with what was tried where there is none.
void add_active_torch(Libraries& libraries, SeenFiles& seen);

}  // namespace aoti_cts::symbols
