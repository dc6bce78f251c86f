// From what a user names to libraries: a file, a folder, a wheel or other zip, or `auto`.
#pragma once

#include <string>
#include <vector>

#include "symbols/judge.h"

namespace aoti_cts::symbols {

/// Opens what `path` names and adds its libraries: the file itself, or those found in a folder or
/// a zip (by name: .so, .so.N, .dylib, .dll, .pyd, .a, .lib). Throws BadFile where one cannot be
/// read, or none is found.
void add_libraries(const std::string& path, Libraries& libraries);

/// The libraries of the torch that the active Python would import, those that export shims.
/// Throws std::runtime_error with what was tried where there is none.
void add_active_torch(Libraries& libraries);

}  // namespace aoti_cts::symbols
