// What dlopen says badly or not at all of a file that is no library for this machine.
#pragma once

#include <string>

namespace aoti_cts::cli {

/// The absolute path of the library that `option` names. Throws UsageError where it is no regular
/// file, or one that no dlopen in this process could take: empty, an archive, of another format or
/// machine, no shared object, or cut short. What else keeps it from loading is for a case to tell.
std::string loadable_library(const char* option, const std::string& path);

}  // namespace aoti_cts::cli
