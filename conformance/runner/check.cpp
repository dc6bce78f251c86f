// See check.h.
#include "runner/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "report/text.h"
#include "runner/cuda_notes.h"
#include "runner/gtest_cases.h"

namespace aoti_cts::runner {
namespace {

const Clause* load_clause() {
  for (const Clause& clause : clauses()) {
    if (clause.judge == Judge::Load) return &clause;
  }
  return nullptr;
}

bool matches(const std::string& glob, const std::string& clause, const std::string& name) {
  return glob_match(glob, clause) || glob_match(glob, fmt::format("{}/{}", clause, name));
}

// A MAY clause records which answer was seen: whatever that is, it is no failure. A process that
// ended or never loaded gave none, and stays what it is.
void soften_may(CaseResult& row) {
  if (row.verdict == Verdict::Skip || row.verdict > Verdict::Fail) return;
  if (row.verdict == Verdict::Fail) {
    std::string seen =
        fmt::format("{}{}{}", to_string(row.verdict), row.detail.empty() ? "" : ": ", row.detail);
    for (const Failure& failure : row.failures) {
      seen += fmt::format("; {}: have {}, want {}", failure.what, failure.have, failure.want);
    }
    row.detail = std::move(seen);
  }
  row.verdict = Verdict::Info;
}

void add_result(Report& report, const Clause& clause, CaseResult row) {
  if (report.results.empty() || report.results.back().clause != &clause) {
    report.results.emplace_back().clause = &clause;
  }
  if (clause.level == Level::May) soften_may(row);
  report.results.back().cases.push_back(std::move(row));
}

std::string lower_name(const std::string& id) {
  std::string name = id;
  for (char& ch : name) {
    if (ch == '.' || ch == '-') ch = '_';
  }
  return name;
}

// A finding speaks against its own clause, whichever clause's case brought it to light: there it
// fails the case, elsewhere it becomes a case of the clause that it speaks against. A touch that
// ended the process has failed its case by that.
void judge_findings(std::vector<std::pair<const Clause*, CaseResult>>& strays,
                    const std::string& clause, CaseResult& row) {
  if (row.verdict == Verdict::Skip) return;
  for (const DeviceFinding& finding : row.findings) {
    const Failure failure{"virtual CUDA device", finding.text, "no such finding"};
    const Clause* against = find_clause(finding.clause);
    if (against == nullptr || finding.clause == clause || is_termination(row.verdict)) {
      row.failures.push_back(failure);
      ++row.failure_count;
      if (!is_failure(row.verdict)) row.verdict = Verdict::Fail;
      continue;
    }
    CaseResult& stray = strays.emplace_back(against, CaseResult{}).second;
    stray.name = fmt::format("seen_in_{}_{}_{}", lower_name(clause), row.name, strays.size());
    stray.verdict = Verdict::Fail;
    stray.failures = {failure};
    stray.failure_count = stray.assertions = 1;
    stray.calls = row.calls;
    stray.struck = row.struck;
  }
}

void add_strays(Report& report, std::vector<std::pair<const Clause*, CaseResult>>&& strays) {
  for (auto& [clause, row] : strays) {
    auto at = std::find_if(
        report.results.begin(), report.results.end(),
        [clause = clause](const ClauseResult& result) { return result.clause == clause; });
    if (at == report.results.end()) {
      at = report.results.emplace(at);
      at->clause = clause;
    }
    at->cases.push_back(std::move(row));
  }
}

void note_device(Report& report) {
  std::map<std::string, int> kernels;
  std::set<std::string> refused;
  for (const ClauseResult& result : report.results) {
    for (const CaseResult& row : result.cases) {
      if (!row.kernel.empty()) ++kernels[row.kernel];
      if (!row.refused.empty()) refused.insert(row.refused);
    }
  }
  for (const auto& [name, count] : kernels) {
    report.notes.push_back(fmt::format("{} case(s) need the kernel {}", count, name));
  }
  for (const std::string& name : refused) {
    report.notes.push_back(
        fmt::format("the candidate called {}, which the virtual device refuses", name));
  }
}

void note_selection(Report& report, const Selected& selected) {
  report.load_selected = selected.load;
  for (const std::string& glob : selected.unmatched) {
    report.notes.push_back(fmt::format("`{}` matches no case", glob));
  }
  report.notes.insert(report.notes.end(), selected.elsewhere.begin(), selected.elsewhere.end());
  report.clauses_not_judged =
      std::count_if(clauses().begin(), clauses().end(), [](const Clause& clause) {
        return clause.judge == Judge::Planned || clause.judge == Judge::Symbols;
      });
}

// Where all that a glob matches is of other profiles, or of another command.
std::string judged_elsewhere(const Selection& selection, const std::string& glob,
                             const std::vector<KnownCase>& known) {
  std::set<std::string> where;
  for (const KnownCase& row : known) {
    if (!matches(glob, row.clause, row.name)) continue;
    const Clause& clause = *find_clause(row.clause);
    const auto& profiles = selection.profiles;
    const bool chosen = clause.judge == Judge::Load || std::find(profiles.begin(), profiles.end(),
                                                                 clause.profile) != profiles.end();
    if (clause.judge == Judge::Symbols) {
      where.insert("aoti-cts symbols");
    } else if (chosen) {
      return "";
    } else {
      where.insert(fmt::format("--profile {}", clause.profile));
    }
  }
  if (where.empty()) return "";
  return fmt::format("`{}` matches no case here; some with {}", glob, fmt::join(where, ", "));
}

}  // namespace

bool is_selected(const Selection& selection, const Clause& clause, const std::string& name) {
  const auto match = [&](const std::string& glob) { return matches(glob, clause.id, name); };
  const auto& profiles = selection.profiles;
  const auto& select = selection.select;
  // Whatever the profile, nothing is judged without a load.
  if (clause.judge != Judge::Load &&
      std::find(profiles.begin(), profiles.end(), clause.profile) == profiles.end()) {
    return false;
  }
  if (std::any_of(selection.exclude.begin(), selection.exclude.end(), match)) return false;
  return select.empty() || std::any_of(select.begin(), select.end(), match);
}

Selected select_cases(const Selection& selection) {
  Selected selected;
  const auto known = known_cases();
  for (const auto* globs : {&selection.select, &selection.exclude}) {
    for (const std::string& glob : *globs) {
      if (std::none_of(known.begin(), known.end(),
                       [&](const KnownCase& row) { return matches(glob, row.clause, row.name); })) {
        selected.unmatched.push_back(glob);
      }
    }
  }
  for (const std::string& glob : selection.select) {
    const std::string text = judged_elsewhere(selection, glob, known);
    if (!text.empty()) selected.elsewhere.push_back(text);
  }
  for (const suite::CaseRow& row : suite::all_cases()) {
    if (is_selected(selection, *find_clause(row.clause), row.name)) selected.cases.push_back(&row);
  }
  const Clause* load = load_clause();
  selected.load =
      load != nullptr && !selection.select.empty() && is_selected(selection, *load, load_case);
  return selected;
}

std::vector<KnownCase> known_cases() {
  std::vector<KnownCase> known;
  if (const Clause* load = load_clause()) known.push_back({load->id, load_case});
  for (const suite::CaseRow& row : suite::all_cases()) known.push_back({row.clause, row.name});
  // Another command judges these, under the same waiver files.
  for (const Clause& clause : clauses()) {
    if (clause.judge == Judge::Symbols || clause.judge == Judge::Both) {
      known.push_back({clause.id, static_case});
    }
  }
  return known;
}

std::vector<std::string> known_profiles() {
  std::vector<std::string> profiles;
  for (const Clause& clause : clauses()) {
    if (std::find(profiles.begin(), profiles.end(), clause.profile) == profiles.end()) {
      profiles.push_back(clause.profile);
    }
  }
  return profiles;
}

void check(Report& report, const RunOptions& options, const Selected& selected,
           const std::vector<Waiver>& waivers) {
  const auto start = std::chrono::steady_clock::now();
  note_selection(report, selected);
  register_cases(selected.cases);
  for (const std::string& name : foreign_tests(selected.cases)) {
    report.tool_errors.push_back(fmt::format(
        "GoogleTest knows a test {} that no clause has: register it with CLAUSE_CASES", name));
  }
  if (!selected.cases.empty() || selected.load) {
    RunResult run = run_cases(options, selected.cases);
    if (const Clause* load = load_clause()) add_result(report, *load, std::move(run.load));
    std::vector<std::pair<const Clause*, CaseResult>> strays;
    for (std::size_t i = 0; i < selected.cases.size(); ++i) {
      judge_findings(strays, selected.cases[i]->clause, run.cases[i]);
      add_result(report, *find_clause(selected.cases[i]->clause), std::move(run.cases[i]));
    }
    add_strays(report, std::move(strays));
    note_device(report);
    note_unverified(report, options.candidate.cuda);
    note_faults(report, options.candidate.cuda);
    report.notes.insert(report.notes.end(), run.notes.begin(), run.notes.end());
    report.no_shims = report.no_shims || run.no_shims;
    report.tool_errors.insert(report.tool_errors.end(), run.tool_errors.begin(),
                              run.tool_errors.end());
    apply_waivers(report, waivers, known_cases(), today_utc());
    if (run.interrupted) report.waiver_problems.clear();  // what was not judged makes none stale
  }
  settle(report);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace aoti_cts::runner
