// Reads a library's build id from its file, without loading it.
#pragma once

#include <string>

namespace aoti_cts::runner {

/// The GNU build id in hex; empty where the file has none, cannot be read, or is no ELF file of
/// this machine's class and byte order. Never throws for what is in the file.
std::string read_build_id(const std::string& path);

}  // namespace aoti_cts::runner
