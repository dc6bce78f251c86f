// See growth.h.
#include "suite/growth.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

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

struct Growth {
  int rounds;
  int64_t bytes;
};

/// Growth over `rounds` rounds, or over fewer where it passes the limit earlier: what grows further
/// would reach the memory limit.
Growth growth_over(Case& c, int rounds, int64_t limit, const std::function<void()>& round) {
  const int64_t before = memory_held(c);
  const int look_every = std::max(1, rounds / 50);
  Growth growth{0, 0};
  while (growth.rounds < rounds && growth.bytes <= limit) {
    round();
    ++growth.rounds;
    if (growth.rounds % look_every == 0 || growth.rounds == rounds) {
      growth.bytes = memory_held(c) - before;
    }
  }
  return growth;
}

}  // namespace

void want_no_growth(Case& c, std::string_view what, int rounds, int64_t limit,
                    const std::function<void()>& round) {
  for (int i = 0; i < rounds; ++i) round();
  // An allocator may keep what was given back, and keeps more of it now and then; it stops, which a
  // leak does not. So growth counts where it goes on, time after time.
  constexpr int attempts = 3;
  int others = rounds;
  Growth growth = growth_over(c, rounds, limit, round);
  for (int i = 1; i < attempts && growth.bytes > limit; ++i) {
    others += growth.rounds;
    growth = growth_over(c, rounds, limit, round);
  }
  const std::string want = fmt::format("at most {} KiB", limit / 1024);
  HAVE_WANT_AS(
      fmt::format("growth over {} rounds of {}, after {} others", growth.rounds, what, others),
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
