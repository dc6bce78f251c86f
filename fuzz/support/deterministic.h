// The same input gives the same run: inside a target's TestOneInput nobody reads a clock, draws
// random numbers that no seed decides, or opens a socket.
//
// deterministic.cpp defines the C library's functions for these, so that every caller of the
// process comes by, also in libraries; while an object of this class lives, a call ends the process
// and says what was called, why that is refused, and how to do without. What the engine's own
// signal handlers do is not looked at. Not seen is what goes around these functions: instructions
// (rdtsc, rdrand), a library's own system calls, and a file that was opened before.
//
// And the same seed gives the same inputs. AOTI_CTS_FUZZ_DIGEST=FILE in the environment writes a
// line for each: its number, its size and the hash of all so far, so that two runs are compared
// and the first line that differs tells where they part (support/repeat).
#pragma once

#include <cstddef>
#include <cstdint>

namespace aoti_cts::fuzz {

/// Notes an input for AOTI_CTS_FUZZ_DIGEST; otherwise nothing.
void note_input(const uint8_t* data, size_t size);

class Deterministic {
 public:
  /// The input is noted.
  Deterministic(const uint8_t* data, size_t size) : Deterministic() { note_input(data, size); }
  /// For another thread of the same input.
  Deterministic();
  ~Deterministic();
  Deterministic(const Deterministic&) = delete;
  Deterministic& operator=(const Deterministic&) = delete;
};

/// Lets calls pass that are random by design and whose result the oracle does not depend on. So
/// that coverage does not either, getrandom() and getentropy() give the same bytes for each input
/// meanwhile, and getpid() the same number.
class Excused {
 public:
  Excused();
  ~Excused();
  Excused(const Excused&) = delete;
  Excused& operator=(const Excused&) = delete;
};

}  // namespace aoti_cts::fuzz
