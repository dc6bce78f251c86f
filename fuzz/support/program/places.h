// Where the numbers of a .pte file are, for mutations in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace aoti_cts::fuzz {

/// A number in a file, and how often it is to be chosen.
struct Place {
  size_t at = 0;
  size_t width = 0;
  uint64_t weight = 1;
};

struct Places {
  std::vector<Place> values;     ///< fields and elements
  std::vector<Place> slots;      ///< entries of vtables: 0 takes a field away
  std::vector<Place> structure;  ///< offsets, lengths, distances to vtables, the header
};

/// @param data  a file whose tables were verified
Places places_of(const uint8_t* data, size_t size);

}  // namespace aoti_cts::fuzz
