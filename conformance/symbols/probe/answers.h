// How aoti-cts-probe answers: lines in memory that it shares with who started it, mapped before any
// library is loaded, so that neither closed descriptors nor limits on files cost an answer.
//
// The process may end at any point, and a library may write anywhere: the reader clamps the size.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace aoti_cts::symbols {

/// Descriptor of the shared file in a new probe.
inline constexpr int answers_descriptor = 3;

/// Exit status of a probe that could not load a library; the last line says why.
inline constexpr int failed_step = 3;

/// Bytes of the shared file, which takes memory for what is written alone. libtorch_cpu's 76
/// thousand names and the paths beside them are 20 MiB.
inline constexpr std::size_t answers_capacity = std::size_t{256} << 20U;

struct SharedAnswers {
  std::atomic<uint64_t> size;   ///< of the text, stored behind it
  std::atomic<uint32_t> cut;    ///< 1: there was no room for everything
  std::atomic<uint32_t> ended;  ///< 1: all steps are done

  static constexpr std::size_t room = answers_capacity - 16;

  char* text() { return reinterpret_cast<char*>(this + 1); }

  void append(std::string_view added) {
    const uint64_t old = size.load(std::memory_order_relaxed);
    if (old > room || added.size() > room - old) {
      cut = 1;
      return;
    }
    std::memcpy(text() + old, added.data(), added.size());
    size.store(old + added.size(), std::memory_order_release);
  }

  std::string_view load() {
    const uint64_t stored = size.load(std::memory_order_acquire);
    return {text(), stored < room ? stored : room};
  }
};
static_assert(sizeof(SharedAnswers) == 16);

}  // namespace aoti_cts::symbols
