// What the command line said, for cases that need more of the candidate than its table of shims.
#pragma once

#include <string>
#include <vector>

namespace aoti_cts::suite {

struct Settings {
  std::vector<std::string> candidate;  ///< absolute paths; together one runtime
  std::string prefix;
  std::vector<std::string> preload;  ///< to load before it (the virtual CUDA runtime)
  std::string checked;               ///< the checked reference, whose prefix is checked_
  std::vector<std::string> against;  ///< libtorch libraries to load beside the candidate
  std::string exporter;              ///< a Python script; empty where none is judged
  double timeout_s = 10;             ///< that a case has
};

/// Set by the command before the first process is forked; cases only read it.
inline Settings& settings() {
  static Settings instance;
  return instance;
}

}  // namespace aoti_cts::suite
