// A failure's text is "KIND: ID (N bytes)", written by the cases and read back here.
#include "parser/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace aoti_cts::parser {
namespace {

constexpr const char* not_tried = " further vectors of the sweep were not tried, after ";

struct Group {
  int64_t count = 0;
  std::string shortest;
  uint64_t bytes = UINT64_MAX;
};

void add(std::map<std::string, Group>& groups, const std::string& kind, const std::string& vector) {
  Group& group = groups[kind];
  ++group.count;
  const size_t open = vector.rfind('(');
  // A case that failed before it named a vector has no size to compare: last in the order.
  uint64_t bytes = UINT64_MAX - 1;
  if (open != std::string::npos) {
    std::from_chars(vector.data() + open + 1, vector.data() + vector.size(), bytes);
  }
  if (bytes < group.bytes) {
    group.bytes = bytes;
    group.shortest = vector;
  }
}

/// The vector that a case had last said it would parse.
std::string last_vector(const CaseResult& row) {
  const std::string mark = "vector ";
  const size_t at = row.stderr_tail.rfind(mark);
  if (at == std::string::npos) return row.name;
  const size_t end = row.stderr_tail.find('\n', at);
  return row.stderr_tail.substr(at + mark.size(), end - at - mark.size());
}

/// How many vectors a case's sweep left when it gave up.
uint64_t left_of(const CaseResult& row) {
  const std::string& text = row.stderr_tail;
  const size_t at = text.rfind(not_tried);
  if (at == std::string::npos) return 0;
  const size_t line = text.rfind('\n', at);
  uint64_t left = 0;
  std::from_chars(text.data() + (line == std::string::npos ? 0 : line + 1), text.data() + at, left);
  return left;
}

std::string kind_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Crash:
      return ended_by_signal;
    case Verdict::Exit:
      return ended_itself;
    case Verdict::Timeout:
      return "time-out";
    case Verdict::Oom:
      return "out of memory";
    default:
      return to_string(verdict);
  }
}

/// A sweep has named the vectors that ended its processes.
bool is_told(const CaseResult& row) {
  return std::any_of(row.failures.begin(), row.failures.end(), [](const Failure& failure) {
    return failure.what.starts_with(fmt::format("{}: ", ended_by_signal)) ||
           failure.what.starts_with(fmt::format("{}: ", ended_itself));
  });
}

void add_case(std::map<std::string, Group>& groups, const CaseResult& row) {
  if (is_termination(row.verdict) || is_termination(row.waived_from)) {
    const Verdict verdict = is_termination(row.verdict) ? row.verdict : row.waived_from;
    const bool limit = verdict == Verdict::Timeout || verdict == Verdict::Oom;
    if (limit || !is_told(row)) add(groups, kind_of(verdict), last_vector(row));
  }
  for (const Failure& failure : row.failures) {
    const size_t colon = failure.what.find(": ");
    if (colon != std::string::npos) {
      add(groups, failure.what.substr(0, colon), failure.what.substr(colon + 2));
    }
  }
  // A report keeps the first few failures of a case and the number of all.
  const auto kept = static_cast<int64_t>(row.failures.size());
  if (row.failure_count > kept && kept > 0) {
    const std::string& what = row.failures.front().what;
    groups[what.substr(0, what.find(": "))].count += row.failure_count - kept;
  }
}

}  // namespace

std::string vector_text(const std::string& id, uint64_t bytes) {
  return fmt::format("{} ({} bytes)", id, bytes);
}

std::string not_tried_text(uint64_t left, int endings) {
  return fmt::format("{}{}{} that ended it", left, not_tried, endings);
}

std::vector<std::string> grouped_findings(const Report& report) {
  std::vector<std::string> lines;
  for (const ClauseResult& result : report.results) {
    std::map<std::string, Group> groups;
    uint64_t left = 0;
    for (const CaseResult& row : result.cases) {
      add_case(groups, row);
      left += left_of(row);
    }
    for (const auto& [kind, group] : groups) {
      lines.push_back(fmt::format("{}: {}, {} vector{}; shortest: {}", result.clause->id, kind,
                                  group.count, group.count == 1 ? "" : "s", group.shortest));
    }
    if (left > 0) {
      lines.push_back(
          fmt::format("{}: {} vectors not tried: a sweep stops after {} that ended its process",
                      result.clause->id, left, most_endings));
    }
  }
  return lines;
}

}  // namespace aoti_cts::parser
