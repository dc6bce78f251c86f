// Findings over a whole run: by clause and kind, with the shortest vector of each.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace aoti_cts::parser {

/// Kinds of finding that a case's verdict says too, in the words of the others.
inline constexpr const char* ended_by_signal = "crash";
inline constexpr const char* ended_itself = "exit";

/// One line for each clause and kind of finding that a run over vectors gave, in the table's order.
std::vector<std::string> grouped_findings(const Report& report);

/// A vector as failures name it: "device-type-7 (396 bytes)".
std::string vector_text(const std::string& id, uint64_t bytes);

}  // namespace aoti_cts::parser
