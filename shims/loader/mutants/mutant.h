// A loader with one deliberate fault: the reference, but for what a mutant's file overrides.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "loader/plugin/plugin.h"

namespace aoti_cts::loader::mutants {

/// Each mutant overrides one or two of its functions.
struct Fault : plugin::Faults {
  /// The key's letters and digits, for names that are wrong in something else.
  static std::string plain(std::string_view key) {
    std::string out = "aoti-";
    for (const char ch : key.substr(0, 64)) {
      if ((ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9')) out += ch;
    }
    return out + "-";
  }
  /// Differs between two processes of equal id.
  static std::string pid_namespace() {
    struct stat status {};
    stat("/proc/thread-self/ns/pid", &status);
    return std::to_string(status.st_ino);
  }
  /// Creates a file for its owner, and opens an own one that is there: no link.
  int create_or_take(const char* path) {
    const int descriptor = Steps::create(path);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
    return ::open(path, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);
  }
};

}  // namespace aoti_cts::loader::mutants

using namespace aoti_cts::loader;
using namespace aoti_cts::loader::mutants;

/// Ends a mutant's file: its Fault.
#define AOTI_LOADER_MUTANT(F) \
  const AotiCtsLoader* aoti_cts_loader() { return plugin::table<F>("mutant"); }
