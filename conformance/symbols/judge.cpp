// Runs the static clauses over a subject; see judge.h. Taking each function's address here is what
// makes a clause without one a link error.
#include "symbols/judge.h"

#include <algorithm>
#include <chrono>
#include <tuple>

#include "report/text.h"

namespace aoti_cts::symbols {
namespace {

// Texts of a clause that asks for leave: its failures are by the thousand, and all among the
// report's symbols.
constexpr size_t kKeptTexts = 20;

struct Source {
  const char* section;
  const char* name;
  void (*judge)(Subject&, Judgement&);
};

constexpr Source kSources[] = {
#define AOTI_STATIC_run(section, name)
#define AOTI_STATIC_load(section, name)
#define AOTI_STATIC_planned(section, name)
#define AOTI_STATIC_symbols(section, name) {#section, #name, &clause::section##_##name},
#define AOTI_STATIC_both(section, name) AOTI_STATIC_symbols(section, name)
#define AOTI_CLAUSE(judge, section, name, level, profile, since, source, sentence) \
  AOTI_STATIC_##judge(section, name)
#include "clauses.def"
#undef AOTI_CLAUSE
};

std::string id_of(const Source& source) {
  std::string id = std::string(source.section) + "." + source.name;
  for (char& ch : id) {
    if (ch == '_') ch = '-';
  }
  return id;
}

const Source* source_of(const Clause& clause) {
  for (const Source& source : kSources) {
    if (id_of(source) == clause.id) return &source;
  }
  return nullptr;
}

void settle_case(CaseResult& row) {
  if (row.failure_count != 0) {
    row.verdict = Verdict::Fail;
    if (row.detail.empty()) {
      row.detail = row.failures.front().what;
      if (row.failure_count > 1) {
        row.detail += " (and " + std::to_string(row.failure_count - 1) + " more)";
      }
    }
  } else if (row.assertions != 0) {
    row.verdict = Verdict::Pass;
  } else {
    row.verdict = Verdict::Skip;
    if (row.detail.empty()) row.detail = "nothing to judge";
  }
}

std::vector<SeenShim> shims_of(const Libraries& libraries, bool exported) {
  std::vector<SeenShim> seen;
  for (const auto& library : libraries) {
    for (const Symbol& symbol : exported ? library->exports() : library->imports()) {
      const std::optional<ShimName> name = shim_name(symbol.name);
      if (name) seen.push_back({library.get(), &symbol, *name});
    }
  }
  return seen;
}

}  // namespace

void Judgement::fail(const std::string& what, const std::string& have, const std::string& want) {
  ++result_.assertions;
  ++result_.failure_count;
  result_.failures.push_back({printable_line(what), printable_line(have), printable_line(want)});
}

void Judgement::fail_named(std::string_view name, std::function<Failure()> text) {
  ++result_.assertions;
  ++result_.failure_count;
  const auto before = [](const Named& one, const Named& other) {
    return std::pair(one.name.size(), one.name) < std::pair(other.name.size(), other.name);
  };
  Named named{name, std::move(text)};
  if (named_.size() == kKeptTexts) {
    if (!before(named, named_.back())) return;
    named_.pop_back();
  }
  named_.insert(std::upper_bound(named_.begin(), named_.end(), named, before), std::move(named));
}

void Judgement::sort() {
  for (const Named& named : named_) {
    const Failure failure = named.text();
    result_.failures.push_back(
        {printable_line(failure.what), printable_line(failure.have), printable_line(failure.want)});
  }
  named_.clear();
  const auto place = [](const Failure& one) { return std::tie(one.what, one.have); };
  std::stable_sort(
      result_.failures.begin(), result_.failures.end(),
      [&](const Failure& one, const Failure& other) { return place(one) < place(other); });
  std::vector<SymbolFinding>& findings = findings_.findings;
  const auto key = [](const SymbolFinding& one) {
    return std::tie(one.symbol, one.version, one.library, one.other_library);
  };
  std::stable_sort(
      findings.begin() + static_cast<std::ptrdiff_t>(first_finding_), findings.end(),
      [&](const SymbolFinding& one, const SymbolFinding& other) { return key(one) < key(other); });
}

void Judgement::skip(const std::string& why) { note(why); }

void Judgement::note(const std::string& text) {
  if (!result_.detail.empty()) result_.detail += "; ";
  result_.detail += printable_line(text);
}

void Judgement::finding(SymbolFinding finding) {
  finding.clause = clause_.id;
  findings_.findings.push_back(std::move(finding));
}

void Judgement::suggest(const std::string& text) {
  std::vector<std::string>& known = findings_.suggestions;
  const std::string line = printable_line(text);
  if (std::find(known.begin(), known.end(), line) == known.end()) known.push_back(line);
}

std::vector<const Clause*> static_clauses() {
  std::vector<const Clause*> rows;
  for (const Clause& clause : clauses()) {
    if (clause.judge == Judge::Symbols || clause.judge == Judge::Both) rows.push_back(&clause);
  }
  return rows;
}

void judge(Report& report, Subject& subject, const std::vector<const Clause*>& chosen) {
  if (!report.symbols) report.symbols.emplace();
  for (const Clause* clause : chosen) {
    ClauseResult& result = report.results.emplace_back();
    result.clause = clause;
    CaseResult& row = result.cases.emplace_back();
    row.name = static_case;
    Judgement judgement(row, *report.symbols, *clause);
    const auto start = std::chrono::steady_clock::now();
    if (subject.candidate.empty() && subject.blobs.empty()) {
      judgement.skip("no library to judge");
    } else {
      source_of(*clause)->judge(subject, judgement);
    }
    judgement.sort();
    row.ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    settle_case(row);
  }
}

SymbolFinding describe(const Symbol& symbol, const Library& library) {
  SymbolFinding finding;
  finding.symbol = printable_line(symbol.name);
  finding.demangled = printable_line(demangle(symbol.name));
  finding.group = group_of(symbol.name);
  finding.library = printable_line(library.path());
  finding.type = to_string(symbol.kind);
  finding.binding = to_string(symbol.binding);
  finding.version = printable_line(symbol.version);
  return finding;
}

void describe_other(SymbolFinding& finding, const Symbol& symbol, const Library& library) {
  finding.other_library = printable_line(library.path());
  finding.other_type = to_string(symbol.kind);
  finding.other_binding = to_string(symbol.binding);
  finding.other_version = printable_line(symbol.version);
}

std::vector<Library*> others(const Subject& in, const Library& library) {
  std::vector<Library*> all;
  for (const auto& other : in.against) {
    if (other->path() != library.path()) all.push_back(other.get());
  }
  return all;
}

const char* no_others(const Subject& in) {
  if (in.against.empty()) return "no libtorch is given (--against)";
  const bool none = std::all_of(in.candidate.begin(), in.candidate.end(),
                                [&](const auto& library) { return others(in, *library).empty(); });
  return none ? "--against names the candidate alone" : nullptr;
}

std::vector<SeenShim> exported_shims(const Libraries& libraries) {
  return shims_of(libraries, true);
}

std::vector<SeenShim> imported_shims(const Libraries& libraries) {
  return shims_of(libraries, false);
}

}  // namespace aoti_cts::symbols
