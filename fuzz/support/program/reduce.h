// Makes a program that shows something smaller while it still shows it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace aoti_cts::fuzz {

/// Whether a file still shows what is being looked for.
using Shows = std::function<bool(const std::vector<uint8_t>& file)>;

/// A file that shows it, with fewer tables, lists and bytes where that is possible: by words where
/// the tables can be unpacked, by cutting and clearing bytes otherwise. Deterministic.
///
/// @param most_tries  bound on calls of `shows`
std::vector<uint8_t> reduce_program(const std::vector<uint8_t>& file, const Shows& shows,
                                    size_t most_tries = 1500);

}  // namespace aoti_cts::fuzz
