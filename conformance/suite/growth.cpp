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
#include "suite/tensor_util.h"

namespace aoti_cts::suite {

namespace {

using BytesHandedOut = std::size_t (*)();

/// sanitizer/allocator_interface.h; part of the sanitizer's runtime or missing altogether: null.
BytesHandedOut sanitizer_bytes() {
  static const auto found = reinterpret_cast<BytesHandedOut>(
      dlsym(RTLD_DEFAULT, "__sanitizer_get_current_allocated_bytes"));
  return found;
}

}  // namespace

int64_t memory_held(Case& c) {
  if (sanitizer_bytes() != nullptr) return static_cast<int64_t>(sanitizer_bytes()());
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

namespace {

/// Three tenths of the rounds still show a loss of about three times the size.
bool too_few(const Growth& growth, int rounds, int64_t limit) {
  return growth.bytes <= limit && 10 * int64_t{growth.rounds} < 3 * int64_t{rounds};
}

[[noreturn]] void skip_as_too_few(Case& c, std::string_view what, int rounds, const Growth& growth,
                                  std::string_view also = "") {
  c.skip(fmt::format("time for {} rounds of {}, too few of {} to show what one loses{}",
                     growth.rounds, what, rounds, also));
}

void judge(Case& c, std::string_view what, int64_t limit, const Growth& growth) {
  const std::string want = fmt::format("at most {} KiB", limit / 1024);
  HAVE_WANT_AS(fmt::format("growth over {} rounds of {}, after {} others", growth.rounds, what,
                           growth.others),
               growth.bytes <= limit ? want : fmt::format("{} KiB", growth.bytes / 1024), want);
}

/// Bytes that the C library's heap, or a sanitizer's in its place, has handed out.
int64_t handed_out() {
  if (sanitizer_bytes() != nullptr) return static_cast<int64_t>(sanitizer_bytes()());
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

/// Whether handles come from that heap: many of them, as a few may come from a free list.
bool handles_are_from_the_heap(Case& c) {
  constexpr size_t many = 1000;
  const Geometry g{"", {2}, {1}, 0};
  const Memory memory(g, float32());
  std::vector<Tensor> handles;
  handles.reserve(many);
  const int64_t before = handed_out();
  while (handles.size() < many) handles.push_back(from_blob(c, memory, g, float32()));
  return handed_out() - before >= static_cast<int64_t>(8 * many);
}

}  // namespace

void want_no_growth(Case& c, std::string_view what, int rounds, int64_t limit,
                    const std::function<void()>& round) {
  const Growth growth = growth_in_the_end(c, rounds, limit, round);
  if (too_few(growth, rounds, limit)) skip_as_too_few(c, what, rounds, growth);
  judge(c, what, limit, growth);
}

void want_no_loss(Case& c, std::string_view what, int rounds, int64_t limit,
                  const std::function<void()>& round) {
  constexpr int few = 10;
  constexpr int64_t least = 16;  // bytes a round, the smallest block
  const Growth growth = growth_in_the_end(c, rounds, limit, round);
  if (!too_few(growth, rounds, limit)) return judge(c, what, limit, growth);
  if (growth.rounds < 2 * few || !handles_are_from_the_heap(c)) {
    skip_as_too_few(c, what, rounds, growth, ", and the C library's heap does not tell");
  }
  const int64_t grown = lasting_growth(handed_out, few, few * least, round);
  HAVE_WANT_AS(
      fmt::format("bytes lost from the heap by {} rounds of {}, again and again", few, what), grown,
      int64_t{0});
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
