// See console.h. Layout: a verdict word in a column of its own, so that the eye finds what is not
// PASS.
#include "report/console.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "report/text.h"

namespace aoti_cts {
namespace {

constexpr std::size_t most_failures = 20;  // of a case, without --verbose

class Writer {
 public:
  Writer(const Report& report, const ConsoleOptions& options) : report_(report), options_(options) {
    for (const ClauseResult& result : report.results) {
      id_width_ = std::max(id_width_, result.clause->id.size());
    }
  }

  std::string write() {
    header();
    for (const ClauseResult& result : report_.results) clause_line(result);
    for (const ClauseResult& result : report_.results) failures(result);
    if (report_.symbols) symbols(*report_.symbols);
    list("Waiver problems", report_.waiver_problems);
    list("Tool errors", report_.tool_errors);
    list("Notes", report_.notes);
    summary();
    return std::move(out_);
  }

 private:
  std::string paint(const char* code, const std::string& text) const {
    return options_.colour ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
  }

  std::string word(Verdict verdict, bool counts) const {
    const std::string text = fmt::format("{:<10}", to_string(verdict));
    if (is_failure(verdict)) return paint(counts ? "1;31" : "33", text);
    if (verdict == Verdict::Pass) return paint("32", text);
    return paint(verdict == Verdict::Info ? "36" : "33", text);
  }

  void header() {
    if (options_.quiet) return;
    out_ += fmt::format("aoti-cts {}\n", AOTI_CTS_VERSION);
    for (const CandidateFile& file : report_.candidate) {
      out_ += fmt::format("candidate  {}{}\n", printable(file.path),
                          file.build_id.empty() ? "" : "  build id " + file.build_id);
    }
    out_ += fmt::format("prefix     {}\n", report_.prefix.empty() ? "(none)" : report_.prefix);
    out_ += fmt::format("profiles   {}\n\n", fmt::join(report_.profiles, ", "));
  }

  void clause_line(const ClauseResult& result) {
    const bool failed = is_failure(result.verdict);
    if (options_.quiet) return;
    out_ += fmt::format("{}  {:<{}}  {:<6}  {}\n",
                        word(result.verdict, counts(report_, *result.clause)), result.clause->id,
                        id_width_, to_string(result.clause->level), what_happened(result, failed));
    if (!options_.verbose) return;
    for (const CaseResult& row : result.cases) {
      out_ += fmt::format("  {} {}  {:.1f} ms{}{}\n",
                          word(row.verdict, counts(report_, *result.clause)), row.name, row.ms,
                          row.detail.empty() ? "" : "  ", row.detail);
    }
  }

  // "3 of 12 cases", and the one detail that says most.
  static std::string what_happened(const ClauseResult& result, bool failed) {
    const auto worst = std::find_if(result.cases.begin(), result.cases.end(),
                                    [&](const auto& row) { return row.verdict == result.verdict; });
    const auto like = std::count_if(result.cases.begin(), result.cases.end(),
                                    [&](const auto& row) { return row.verdict == result.verdict; });
    const std::size_t all = result.cases.size();
    std::string text = fmt::format("{} case{}", all, all == 1 ? "" : "s");
    if (result.verdict != Verdict::Pass && all > 1) text = fmt::format("{} of {}", like, text);
    if (worst == result.cases.end() || worst->detail.empty()) return text;
    // A remark on what passed, such as which weak symbols were found.
    if (result.verdict == Verdict::Pass && all > 1) return text;
    if (result.verdict == Verdict::Info) return text + ", seen: " + seen(result);
    std::string detail = worst->verdict == Verdict::Waived ? worst->waiver : worst->detail;
    if (failed && all > 1) detail = fmt::format("{}: {}", worst->name, detail);
    std::replace(detail.begin(), detail.end(), '\n', ' ');
    return text + ", " + detail;
  }

  // Each answer that a MAY clause's cases saw, and how often.
  static std::string seen(const ClauseResult& result) {
    std::vector<std::pair<std::string, int>> answers;
    for (const CaseResult& row : result.cases) {
      if (row.verdict != Verdict::Info) continue;
      const auto same = std::find_if(answers.begin(), answers.end(), [&](const auto& answer) {
        return answer.first == row.detail;
      });
      if (same == answers.end()) {
        answers.emplace_back(row.detail, 1);
      } else {
        ++same->second;
      }
    }
    std::string text;
    for (const auto& [answer, times] : answers) {
      if (!text.empty()) text += "; ";
      text += answer;
      if (answers.size() > 1) text += fmt::format(" ({})", times);
    }
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }

  void failures(const ClauseResult& result) {
    bool titled = false;
    for (const CaseResult& row : result.cases) {
      const bool waived = row.verdict == Verdict::Waived;
      if (!is_failure(row.verdict) && !(waived && options_.verbose)) continue;
      if (!titled) {
        const bool counted = counts(report_, *result.clause);
        out_ += fmt::format("\n{} {}\n", paint("1", result.clause->id),
                            to_string(result.clause->level));
        out_ += fmt::format("  {}\n", result.clause->sentence);
        if (!counted) out_ += "  (not counted without --strict)\n";
        titled = true;
      }
      failed_case(result, row);
    }
  }

  void failed_case(const ClauseResult& result, const CaseResult& row) {
    out_ += fmt::format("  {} {}{}{}\n", word(row.verdict, counts(report_, *result.clause)),
                        row.name, row.detail.empty() ? "" : ": ", row.detail);
    if (row.verdict == Verdict::Waived) {
      out_ += fmt::format("      waived   {} ({})\n", row.waiver, to_string(row.waived_from));
    }
    const std::size_t shown =
        options_.verbose ? row.failures.size() : std::min(row.failures.size(), most_failures);
    for (std::size_t i = 0; i < shown; ++i) {
      const Failure& failure = row.failures[i];
      out_ += fmt::format("      {}\n        have   {}\n        want   {}\n", failure.what,
                          failure.have, failure.want);
    }
    const auto more = row.failure_count - static_cast<int64_t>(shown);
    if (more > 0) out_ += fmt::format("      and {} more\n", more);
    if (!row.calls.empty()) {
      out_ += fmt::format("      calls    {}\n", fmt::join(row.calls, ", "));
    }
    stderr_lines(row.stderr_tail);
  }

  void stderr_lines(const std::string& text) {
    std::size_t start = 0;
    while (start < text.size()) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      out_ += fmt::format("      output | {}\n", text.substr(start, end - start));
      start = end + 1;
    }
  }

  void list(const char* title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    out_ += fmt::format("\n{}\n", paint("1", title));
    for (const std::string& line : lines) out_ += fmt::format("  {}\n", line);
  }

  static std::string tally_text(const Tally& tally) {
    std::string text;
    for (std::size_t i = 0; i < tally.size(); ++i) {
      if (tally[i] == 0) continue;
      if (!text.empty()) text += ", ";
      text += fmt::format("{} {}", tally[i], to_string(static_cast<Verdict>(i)));
    }
    return text.empty() ? "none" : text;
  }

  // Counts by clause and project first; each symbol with --verbose.
  void symbols(const SymbolReport& symbols) {
    list("Held against", symbols.against);
    std::map<std::pair<std::string, std::string>, std::pair<int64_t, int64_t>> counts;
    for (const SymbolFinding& finding : symbols.findings) {
      auto& [counted, listed] = counts[{finding.clause, finding.group}];
      ++(finding.counts ? counted : listed);
    }
    std::vector<std::string> lines;
    lines.reserve(counts.size());
    for (const auto& [key, count] : counts) {
      lines.push_back(
          fmt::format("{:<22} {:<16} {:>6}{}", key.first, key.second, count.first,
                      count.second == 0 ? "" : fmt::format("  and {} listed only", count.second)));
    }
    if (options_.verbose) {
      for (const SymbolFinding& finding : symbols.findings) lines.push_back(line_of(finding));
    }
    list("Symbols found", lines);
    list("To repair", symbols.suggestions);
  }

  static std::string line_of(const SymbolFinding& finding) {
    const auto one = [](const std::string& library, const std::string& type,
                        const std::string& binding, const std::string& version) {
      return fmt::format("{} {}{} in {}", type, binding, version.empty() ? "" : " @" + version,
                         library);
    };
    std::string text =
        fmt::format("{}  {}  [{}]  {}", finding.clause, finding.demangled, finding.group,
                    one(finding.library, finding.type, finding.binding, finding.version));
    if (!finding.other_library.empty()) {
      text += ", " + one(finding.other_library, finding.other_type, finding.other_binding,
                         finding.other_version);
    }
    return finding.counts ? text : text + "  (listed only)";
  }

  void summary() {
    const Exit exit = outcome(report_);
    if (!out_.empty()) out_ += "\n";
    out_ += fmt::format("clauses  {}; {} more planned or judged elsewhere\n",
                        tally_text(tally_clauses(report_)), report_.clauses_not_judged);
    out_ +=
        fmt::format("cases    {}; {:.1f} s\n", tally_text(tally_cases(report_)), report_.seconds);
    out_ += fmt::format("{}{} (exit code {})\n",
                        paint(exit == Exit::Conformant ? "1;32" : "1;31", describe(exit)),
                        exit == Exit::Conformant ? uncounted() : "", static_cast<int>(exit));
  }

  // What a reader of the last line alone would not see.
  std::string uncounted() const {
    const auto failing = std::count_if(
        report_.results.begin(), report_.results.end(), [](const ClauseResult& result) {
          return result.clause->level == Level::Should && is_failure(result.verdict);
        });
    if (failing == 0) return "";
    return fmt::format(" ({} SHOULD clause{}, not counted)", failing,
                       failing == 1 ? " fails" : "s fail");
  }

  const Report& report_;
  const ConsoleOptions& options_;
  std::size_t id_width_ = 0;
  std::string out_;
};

double now_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

}  // namespace

bool wants_colour(std::FILE* file) {
  const char* refused = getenv("NO_COLOR");
  return (refused == nullptr || *refused == 0) && isatty(fileno(file)) != 0;
}

std::string console_text(const Report& report, const ConsoleOptions& options) {
  return Writer(report, options).write();
}

Progress::Progress(std::FILE* file, double seconds_between_lines)
    : file_(file),
      terminal_(isatty(fileno(file)) != 0),
      between_(terminal_ ? 0.05 : seconds_between_lines),
      last_(now_seconds() - (terminal_ ? between_ : 0)) {}

void Progress::show(std::size_t done, std::size_t all, const std::string& name, double seconds) {
  const double now = now_seconds();
  const bool is_last = terminal_ && done == all;
  if (now - last_ < between_ && !is_last) return;
  last_ = now;
  shown_ = true;
  std::string text = fmt::format("[{}/{}] {}", done, all, name.substr(0, terminal_ ? 60 : 200));
  if (seconds >= 1) text += fmt::format(", {:.0f} s", seconds);
  text = terminal_ ? "\r\033[K" + text : "aoti-cts: " + text + "\n";
  std::fputs(text.c_str(), file_);
  std::fflush(file_);
}

void Progress::clear() {
  if (!terminal_ || !shown_) return;
  fmt::print(file_, "\r\033[K");
  std::fflush(file_);
}

}  // namespace aoti_cts
