// Findings over a whole run: by clause and kind, with the shortest vector of each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/report.h"

namespace aoti_cts::parser {

/// Kinds of finding that a case's verdict says too, in the words of the others.
inline constexpr const char* ended_by_signal = "crash";
inline constexpr const char* ended_itself = "exit";

/// So many vectors of one sweep may end its process, then it gives up: each takes a new process,
/// and a parser that does so more often needs no more.
inline constexpr int most_endings = 32;

/// What a sweep says last on standard error when it gives up: how many vectors it left, after how
/// many that ended its process.
std::string not_tried_text(uint64_t left, int endings);

/// One line for each clause and kind of finding that a run over vectors gave, in the table's order,
/// and one for each clause of which a sweep gave up.
std::vector<std::string> grouped_findings(const Report& report);

/// A vector as failures name it: "device-type-7 (396 bytes)".
std::string vector_text(const std::string& id, uint64_t bytes);

}  // namespace aoti_cts::parser
