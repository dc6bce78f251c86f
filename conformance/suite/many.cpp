// See many.h. The counts are of handles; the clock only ends what would take too long.
#include "suite/many.h"

#include <chrono>
#include <cstring>

#include "suite/settings.h"

namespace aoti_cts::suite {
namespace {

using Clock = std::chrono::steady_clock;

/// A twentieth of the case's time from now.
Clock::time_point soon() {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(settings().timeout_s / 20));
}

const Geometry& line() {
  static const Geometry g{"", {16}, {1}, 0};
  return g;
}

/// `most` further handles, or as many of them above `least` as there is time for.
std::vector<Tensor> derived(Case& c, const Deriver& deriver, AtenTensorHandle base, size_t least,
                            size_t most) {
  const auto end = soon();
  std::vector<Tensor> handles;
  while (handles.size() < most && (handles.size() < least || Clock::now() < end)) {
    handles.push_back(deriver.tensor(c, base, line()));
    deriver.tensor(c, base, line());  // so that the clock sees a deletion for each handle too
  }
  return handles;
}

}  // namespace

void many_share(Case& c, const Deriver& deriver) {
  constexpr size_t least = 300;
  constexpr size_t most = 70'000;
  Tensor base = empty(c, line(), float32());
  std::byte* const data = get_data_ptr(c, base.get());
  NEED(data != nullptr, true);
  fill(data, line(), float32());
  std::vector<Tensor> handles = derived(c, deriver, base.get(), least, most);
  base.reset();
  // Takes the place of what was freed too early.
  std::vector<Tensor> strangers;
  const std::vector<uint64_t> want = patterns(float32(), 16);
  for (size_t i = 0; i + 1 < handles.size(); ++i) {
    handles[i].reset();
    if (i > least && i % 997 != 0) continue;
    strangers.push_back(empty(c, line(), float32()));
    std::memset(get_data_ptr(c, strangers.back().get()), 0, 64);
    if (!HAVE_WANT_AS(fmt::format("elements after {} of {} handles by {} were deleted", i + 2,
                                  handles.size() + 1, deriver.name),
                      read(data, line(), float32()), want)) {
      return;
    }
  }
  HAVE_WANT_AS("data pointer of the last handle", get_data_ptr(c, handles.back().get()), data);
}

void many_alive(Case& c, const Maker& maker) {
  constexpr size_t least = 600;
  constexpr size_t most = 2000;
  const Memory memory(static_cast<int64_t>(most) * float32().size);
  const auto end = soon();
  std::vector<Tensor> handles;
  while (handles.size() < most && (handles.size() < least || Clock::now() < end)) {
    const auto index = static_cast<int64_t>(handles.size());
    const Geometry g{"", {1}, {1}, maker.has_offset ? index : 0};
    handles.push_back(maker.tensor(c, memory.data(), g, float32()));
    store(get_data_ptr(c, handles.back().get()), 0, float32(), static_cast<uint64_t>(index));
  }
  for (size_t i = 0; i < handles.size(); ++i) {
    const uint64_t have = load(get_data_ptr(c, handles[i].get()), 0, float32());
    if (!HAVE_WANT_AS(fmt::format("bits of tensor {} of {} at once", i, handles.size()), have,
                      uint64_t{i})) {
      return;
    }
  }
}

}  // namespace aoti_cts::suite
