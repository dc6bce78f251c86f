// The limits of a process on files: a candidate may lower them as it is loaded, and what the suite
// then does in that process (loading a second library, writing a scratch file) needs files.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <utility>

namespace aoti_cts::symbols {

class FileLimits {
 public:
  /// Remembers what holds now.
  FileLimits() {
    getrlimit(RLIMIT_NOFILE, &open_);
    getrlimit(RLIMIT_FSIZE, &size_);
  }

  /// Brings it back. A hard limit that was lowered takes a privilege to raise: without it, as far
  /// as it allows.
  void restore() const {
    for (const auto& [which, old] : {std::pair{RLIMIT_NOFILE, open_}, {RLIMIT_FSIZE, size_}}) {
      if (setrlimit(which, &old) == 0) continue;
      rlimit now{};
      getrlimit(which, &now);
      now.rlim_cur = std::min(old.rlim_cur, now.rlim_max);
      setrlimit(which, &now);
    }
  }

 private:
  rlimit open_{};
  rlimit size_{};
};

/// Whether this process may open and write what the suite's own files need.
inline bool files_allowed() {
  rlimit open{};
  rlimit size{};
  return getrlimit(RLIMIT_NOFILE, &open) == 0 && getrlimit(RLIMIT_FSIZE, &size) == 0 &&
         open.rlim_cur >= 64 && size.rlim_cur >= (64U << 20U);
}

}  // namespace aoti_cts::symbols
