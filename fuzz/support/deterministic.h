// The same input gives the same run: inside a target's TestOneInput nobody reads a clock, draws
// random numbers that no seed decides, or opens a socket.
//
// deterministic.cpp defines the C library's functions for these, so that every caller of the
// process comes by, also in libraries; while an object of this class lives, a call ends the process
// and says what was called, why that is refused, and how to do without. What the engine's own
// signal handlers do is not looked at.
#pragma once

namespace aoti_cts::fuzz {

class Deterministic {
 public:
  Deterministic();
  ~Deterministic();
  Deterministic(const Deterministic&) = delete;
  Deterministic& operator=(const Deterministic&) = delete;
};

/// Lets calls pass that are random by design and whose result the oracle does not depend on.
class Excused {
 public:
  Excused();
  ~Excused();
  Excused(const Excused&) = delete;
  Excused& operator=(const Excused&) = delete;
};

}  // namespace aoti_cts::fuzz
