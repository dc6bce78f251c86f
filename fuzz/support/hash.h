// Knobs of a run come from the input itself, so that an input is nothing but a valid file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace aoti_cts::fuzz {

/// FNV-1a over words of eight bytes, two at a time, with the high bits mixed down so that `hash %
/// n` depends on all of the input.
///
/// Byte by byte it would take as long as a parse; and it is not instrumented, as it reads each byte
/// of every input, all of them inside.
__attribute__((no_sanitize("address", "undefined"))) inline uint64_t hash_of(const uint8_t* data,
                                                                             size_t size) {
  constexpr uint64_t prime = 0x100000001b3u;
  uint64_t even = 0xcbf29ce484222325u ^ size;
  uint64_t odd = prime;
  size_t at = 0;
  for (; size - at >= 16; at += 16) {
    uint64_t words[2];
    std::memcpy(words, data + at, 16);
    even = (even ^ words[0]) * prime;
    odd = (odd ^ words[1]) * prime;
    even ^= even >> 32;
    odd ^= odd >> 32;
  }
  for (; at < size; ++at) even = (even ^ data[at]) * prime;
  const uint64_t hash = (even ^ (odd << 29 | odd >> 35)) * prime;
  return hash ^ (hash >> 32);
}

/// A small generator, the same on every platform.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 2 + 1) {}
  uint64_t next() {  // splitmix64
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// 0 to limit - 1; limit is not 0.
  size_t below(size_t limit) { return next() % limit; }
  bool one_in(size_t n) { return below(n) == 0; }

 private:
  uint64_t state_;
};

}  // namespace aoti_cts::fuzz
