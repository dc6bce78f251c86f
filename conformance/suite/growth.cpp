// See growth.h.
#include "suite/growth.h"

#include <dlfcn.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>

#include "suite/settings.h"

namespace aoti_cts::suite {

int64_t memory_held(Case& c) {
  // sanitizer/allocator_interface.h; part of the sanitizer's runtime or missing altogether.
  using HandedOut = std::size_t (*)();
  static const auto handed_out =
      reinterpret_cast<HandedOut>(dlsym(RTLD_DEFAULT, "__sanitizer_get_current_allocated_bytes"));
  if (handed_out != nullptr) return static_cast<int64_t>(handed_out());
  // Counted by a walk over the pages: statm may be off by some MiB on a machine of many processors.
  std::ifstream rollup("/proc/self/smaps_rollup");
  std::string word;
  while (rollup >> word) {
    int64_t kib = 0;
    if (word == "Rss:" && rollup >> kib) return kib * 1024;
  }
  std::ifstream statm("/proc/self/statm");
  int64_t total = 0;
  int64_t resident = 0;
  if (!(statm >> total >> resident)) c.skip("needs /proc/self/statm to measure resident memory");
  return resident * sysconf(_SC_PAGESIZE);
}

namespace {

using Clock = std::chrono::steady_clock;

/// Of a case's time that one series of rounds may take: there are four at most.
constexpr double share_of_time = 0.125;

struct Growth {
  int rounds = 0;
  int64_t bytes = 0;
  int others = 0;  ///< rounds before those
};

/// What is held once the C library has given back the pages that it keeps free: on those a loss
/// would not show, and as kept ones they would look like a loss.
int64_t held_in_use(Case& c) {
  malloc_trim(0);
  return memory_held(c);
}

/// Growth over `rounds` rounds, or over fewer where it passes the limit earlier (what grows further
/// would reach the memory limit) or where the time is over.
Growth growth_over(Case& c, int rounds, int64_t limit, const std::function<void()>& round) {
  const auto end =
      Clock::now() + std::chrono::duration<double>(settings().timeout_s) * share_of_time;
  const int64_t before = held_in_use(c);
  const int look_every = std::max(1, rounds / 50);
  Growth growth;
  bool last = false;
  while (!last && growth.bytes <= limit) {
    round();
    ++growth.rounds;
    last = growth.rounds == rounds || Clock::now() >= end;
    if (!last && growth.rounds % look_every != 0) continue;
    growth.bytes = memory_held(c) - before;
    if (last || growth.bytes > limit) growth.bytes = held_in_use(c) - before;
  }
  return growth;
}

/// The same once the first rounds are over. An allocator may keep what was given back, and keeps
/// more of it now and then; it stops, which a leak does not. So growth counts where it goes on,
/// time after time.
Growth growth_in_the_end(Case& c, int rounds, int64_t limit, const std::function<void()>& round) {
  constexpr int attempts = 3;
  int others = growth_over(c, rounds, 8 * limit, round).rounds;
  Growth growth = growth_over(c, rounds, limit, round);
  for (int i = 1; i < attempts && growth.bytes > limit; ++i) {
    others += growth.rounds;
    growth = growth_over(c, rounds, limit, round);
  }
  growth.others = others;
  return growth;
}

}  // namespace

bool grows(Case& c, int rounds, int64_t limit, const std::function<void()>& round) {
  return growth_in_the_end(c, rounds, limit, round).bytes > limit;
}

void want_no_growth(Case& c, std::string_view what, int rounds, int64_t limit,
                    const std::function<void()>& round) {
  const Growth growth = growth_in_the_end(c, rounds, limit, round);
  // Three tenths of the rounds still show a loss of about three times the size.
  if (growth.bytes <= limit && 10 * int64_t{growth.rounds} < 3 * int64_t{rounds}) {
    c.skip(fmt::format("time for {} rounds of {}, too few of {} to show what one loses",
                       growth.rounds, what, rounds));
  }
  const std::string want = fmt::format("at most {} KiB", limit / 1024);
  HAVE_WANT_AS(fmt::format("growth over {} rounds of {}, after {} others", growth.rounds, what,
                           growth.others),
               growth.bytes <= limit ? want : fmt::format("{} KiB", growth.bytes / 1024), want);
}

int64_t lasting_growth(const std::function<int64_t()>& measure, int rounds, int64_t least,
                       const std::function<void()>& round) {
  constexpr int windows = 6;
  int64_t grown = 0;
  for (int window = 0; window < windows; ++window) {
    const int64_t before = measure();
    for (int i = 0; i < rounds; ++i) round();
    grown = measure() - before;
    if (grown < least) return 0;
  }
  return grown;
}

}  // namespace aoti_cts::suite
