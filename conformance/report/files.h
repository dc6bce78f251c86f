// Writes report files so that a reader never sees half of one.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace aoti_cts {

/// Writes every (path, text) or none: all go to temporary files beside their targets first and are
/// renamed when each is complete on disk. "-" is standard output; what exists and is no regular
/// file (a pipe, /dev/null) is written in place. Throws std::runtime_error naming the file.
void write_files(const std::vector<std::pair<std::string, std::string>>& files);

/// Throws std::runtime_error where write_files() could not write to `path` later on, as far as can
/// be told now: better before a long run than after it.
void check_writable(const std::string& path);

}  // namespace aoti_cts
