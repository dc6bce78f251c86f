// Knobs of a run come from the input itself, so that an input is nothing but a valid file.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aoti_cts::fuzz {

/// FNV-1a, with its high bits mixed down so that `hash % n` depends on all of the input.
inline uint64_t hash_of(const uint8_t* data, size_t size) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ data[i]) * 0x100000001b3u;
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
