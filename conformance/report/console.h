// The report for people: progress, one line per clause, details of failures, summary.
#pragma once

#include <cstdio>
#include <string>

#include "report/report.h"

namespace aoti_cts {

struct ConsoleOptions {
  bool colour = false;
  bool quiet = false;    ///< failures and the summary only
  bool verbose = false;  ///< a line for each case as well
};

/// True where `file` is a terminal and NO_COLOR is not set.
bool wants_colour(std::FILE* file);

/// The whole report as text.
std::string console_text(const Report& report, const ConsoleOptions& options);

/// A line that overwrites itself on a terminal; elsewhere a line of its own every ten seconds or
/// so, so that a log shows where a long run is.
class Progress {
 public:
  explicit Progress(std::FILE* file, double seconds_between_lines = 10);
  /// `seconds`: for how long the case of this name has been running; 0 where it is done.
  void show(std::size_t done, std::size_t all, const std::string& name, double seconds);
  void clear();

 private:
  std::FILE* file_;
  bool terminal_;
  double between_;
  double last_;
  bool shown_ = false;
};

}  // namespace aoti_cts
