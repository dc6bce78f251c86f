// Signals that ask a run to end: noted, so that the loop can stop the children and report what was
// judged so far.
#pragma once

#include <signal.h>

#include <array>

namespace aoti_cts::runner {

/// As long as one lives, SIGINT, SIGTERM and SIGHUP are noted, unless whoever started us ignores
/// them. A second one ends the process, whose children die with it.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// The signal that came, or 0.
  static int signal();

 private:
  static constexpr std::array<int, 3> signals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals.size()> before_{};
};

}  // namespace aoti_cts::runner
