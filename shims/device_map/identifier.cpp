// The identifier check, over Unicode's own tables (xid_ranges.inc).
#include "device_map/identifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace aoti_cts::device_map {
namespace {

struct CodePointRange {
  char32_t first;
  char32_t last;
};

#include "device_map/xid_ranges.inc"

template <std::size_t N>
bool holds(const CodePointRange (&table)[N], char32_t code_point) {
  const auto* row = std::upper_bound(
      std::begin(table), std::end(table), code_point,
      [](char32_t value, const CodePointRange& range) { return value < range.first; });
  return row != std::begin(table) && code_point <= std::prev(row)->last;
}

struct Decoded {
  char32_t code_point = 0;
  std::size_t bytes = 0;  ///< 0: not UTF-8
};

/// Length of a UTF-8 sequence by its first byte, 0 where none starts with it.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

/// The first code point of a non-empty text. Overlong forms, surrogates and what lies above
/// U+10FFFF are no UTF-8.
Decoded decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = sequence_length(lead);
  if (length == 0 || length > text.size()) return {};
  if (length == 1) return {lead, 1};
  char32_t code_point = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80U) return {};
    code_point = (code_point << 6U) | (byte & 0x3FU);
  }
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code_point < smallest[length] || code_point > 0x10FFFF) return {};
  if (code_point >= 0xD800 && code_point <= 0xDFFF) return {};
  return {code_point, length};
}

}  // namespace

bool is_xid_start(char32_t code_point) { return holds(xid_start, code_point); }

bool is_xid_continue(char32_t code_point) {
  return holds(xid_start, code_point) || holds(xid_continue_only, code_point);
}

std::optional<IdentifierFault> identifier_fault(std::string_view text) {
  if (text.empty()) return IdentifierFault{0, "it is empty"};
  for (std::size_t at = 0; at < text.size();) {
    const Decoded next = decode(text.substr(at));
    if (next.bytes == 0) return IdentifierFault{at, "it is not UTF-8"};
    const auto number = static_cast<std::uint32_t>(next.code_point);
    if (at == 0 && next.code_point != U'_' && !is_xid_start(next.code_point)) {
      return IdentifierFault{at, fmt::format("U+{:04X} cannot start an identifier", number)};
    }
    if (!is_xid_continue(next.code_point)) {
      return IdentifierFault{at, fmt::format("U+{:04X} cannot stand in an identifier", number)};
    }
    at += next.bytes;
  }
  return std::nullopt;
}

}  // namespace aoti_cts::device_map
