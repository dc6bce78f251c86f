// A library that defines every shim under a prefix of one's choice and counts calls; it stands in
// for libtorch, and for whoever else might take a candidate's inner calls.
#pragma once

#include <string>

namespace aoti_cts::symbols {

/// Length of the placeholder before each name of the template, and of the longest prefix.
inline constexpr unsigned kDecoyPrefix = 64;

/// Writes the decoy for `prefix` to `path`. Throws std::runtime_error for a prefix that is too
/// long, or a template that is not as it was built.
void make_decoy(const std::string& prefix, const std::string& path);

}  // namespace aoti_cts::symbols
