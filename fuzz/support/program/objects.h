// A .pte file as owning objects, and back: for the mutator, the round trip and the recipes.
//
// The way back need not give the same bytes, nor the same absent fields: a null string or vector of
// numbers comes back empty. It does give a file with the same tables and the same values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "program_generated.h"

namespace aoti_cts::fuzz {

namespace wire = aoti_cts::program::wire;

/// The tables of a program, and what is around them.
struct Objects {
  std::unique_ptr<wire::ProgramT> program;
  bool has_header = false;
  uint32_t header_bytes = 32;          ///< as the extended header says
  bool has_segments = false;           ///< the header names a segment base
  uint32_t base_remainder = 0;         ///< of the segment base by 16
  std::optional<uint64_t> data_bytes;  ///< the header's segment_data_size, where it has one
  std::vector<uint8_t> segments;       ///< what lies at the segment base and behind
};

/// Nothing where the tables do not verify, or are more or larger than a fuzzer wants to handle.
/// A union that has a kind and no content loses its kind, but for Null, which gets a content.
///
/// @param data  at a multiple of 8
std::optional<Objects> unpack(const uint8_t* data, size_t size);

/// The file.
std::vector<uint8_t> pack(Objects& objects);

}  // namespace aoti_cts::fuzz
