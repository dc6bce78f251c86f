// Text that came from a candidate, made fit for terminals, JSON and XML.
#pragma once

#include <string>
#include <string_view>

namespace aoti_cts {

/// Valid UTF-8 with no control characters but newline and tab; every other byte becomes \xNN.
std::string printable(std::string_view text);

/// The same in one line: newlines and tabs become \xNN too. For names that a file brings along,
/// which could otherwise begin a line of their own in the log of a CI system.
std::string printable_line(std::string_view text);

/// The last `lines` lines of a text, and of those at most the last `bytes` bytes.
std::string tail(std::string_view text, int lines, std::size_t bytes);

/// True where the shell-style pattern (* ? [...]) matches the whole text; * also matches '/' and
/// '.'.
bool glob_match(const std::string& pattern, const std::string& text);

}  // namespace aoti_cts
