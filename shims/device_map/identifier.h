// Which texts C++ takes as an identifier. Generated code joins the text after `at::k` to other
// tokens, so anything else would be a compile error far away, or code of somebody else's choosing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace aoti_cts::device_map {

/// Why a text is no identifier.
struct IdentifierFault {
  std::size_t offset;  ///< in bytes
  std::string reason;  ///< "U+0039 cannot start an identifier"
};

/// Checks UTF-8 text by the rules of [lex.name]: '_' or XID_Start, then XID_Continue (Unicode 14;
/// P1949 made these the rule for all C++ versions). Keywords pass: the text becomes part of a
/// longer token. Returns nothing when `text` is an identifier.
std::optional<IdentifierFault> identifier_fault(std::string_view text);

/// Whether a code point may stand first, or later, in an identifier ('_' is in the second only, as
/// in Unicode's own tables).
bool is_xid_start(char32_t code_point);
bool is_xid_continue(char32_t code_point);

}  // namespace aoti_cts::device_map
