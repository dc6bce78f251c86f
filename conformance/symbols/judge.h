// How the static half of the contract is judged: clauses as functions over libraries that were read
// and never run.
//
// For each clause that clauses.def gives to judge `symbols` (or `both`) one file of this folder
// defines
//
//   SYMBOL_CLAUSE(SYM, prefixed) {
//     if (in.prefix.empty()) return out.skip("no prefix is declared");
//     for (const auto& library : in.candidate) { ... out.fail(...) ... }
//   }
//
// The functions are declared from the table and their addresses taken in judge.cpp: a clause
// without one does not link, and one without a clause does not compile.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"
#include "symbols/library.h"
#include "symbols/names.h"

namespace aoti_cts::symbols {

using Libraries = std::vector<std::unique_ptr<Library>>;

/// A shim as a baseline remembers it.
struct BaselineShim {
  std::string kind;     ///< as to_string(Symbol::Kind)
  std::string binding;  ///< as to_string(Symbol::Binding)
  std::string version;  ///< version node, or empty
};
using Baseline = std::map<std::string, BaselineShim, std::less<>>;

/// Everything that the clauses look at.
struct Subject {
  Libraries candidate;  ///< together one runtime
  Libraries against;    ///< libtorch, as given
  Libraries blobs;
  std::optional<std::string> prefix;  ///< as declared; nothing where it was not
  std::optional<Baseline> baseline;
  std::vector<std::string> allow;  ///< globs of further exports
  std::string mode;                ///< "portable", "aten" or empty
  std::string header;              ///< the candidate's installed shim header, or empty
  std::string compile_args;        ///< for a unit that includes it
  std::string build_flags;         ///< the candidate's build flags, or empty
  std::optional<std::string> exporter_prefix;
  std::string link_args;   ///< how the static archive is linked, as published
  std::string link_cmake;  ///< PACKAGE:TARGET, likewise
  bool details = true;     ///< whether anybody reads the findings, one by one

  /// The declared prefix, or "".
  std::string_view p() const { return prefix ? std::string_view(*prefix) : std::string_view(); }
  bool prefixed() const { return prefix && !prefix->empty(); }
};

/// One clause's verdict in the making: a case that fails, passes or says why it was not judged.
class Judgement {
 public:
  Judgement(CaseResult& result, SymbolReport& findings, const Clause& clause)
      : result_(result),
        findings_(findings),
        clause_(clause),
        first_finding_(findings.findings.size()) {}

  /// One more thing was judged and is right.
  void ok(int64_t count = 1) { result_.assertions += count; }
  /// One more thing was judged and is wrong.
  void fail(const std::string& what, const std::string& have, const std::string& want);
  /// The same for one of very many, which is a finding too: the report says it there, and here of
  /// the few with the shortest names alone. `text` makes the failure, in sort(); `name` and what it
  /// refers to live as long.
  void fail_named(std::string_view name, std::function<Failure()> text);
  /// Nothing was judged, for this reason. Keeps what was judged before.
  void skip(const std::string& why);
  /// A remark beside the verdict.
  void note(const std::string& text);
  /// A symbol that the report lists with all its particulars; `counts` where it is the failure.
  void finding(SymbolFinding finding);
  /// A line of build settings that would repair what was found.
  void suggest(const std::string& text);

  const Clause& clause() const { return clause_; }

  /// Once all is judged: puts failures and findings in the order of their names. That of a symbol
  /// table changes with each link, and reports of two builds are there to be compared.
  void sort();

 private:
  CaseResult& result_;
  SymbolReport& findings_;
  const Clause& clause_;
  struct Named {
    std::string_view name;
    std::function<Failure()> text;
  };
  size_t first_finding_;      // of this clause's
  std::vector<Named> named_;  // shortest first
};

/// Judges every static clause of the chosen profiles that `selected` lets through; fills results
/// and symbol findings of the report.
void judge(Report& report, Subject& subject, const std::vector<const Clause*>& chosen);

/// The clauses that have a static half, in the table's order.
std::vector<const Clause*> static_clauses();

/// Fills what a finding says of a symbol and the libraries it was seen in.
SymbolFinding describe(const Symbol& symbol, const Library& library);
void describe_other(SymbolFinding& finding, const Symbol& symbol, const Library& library);

/// What a library of the candidate is held against: what was given, but itself.
std::vector<Library*> others(const Subject& in, const Library& library);
/// Why there is no such library for any of the candidate's, or null.
const char* no_others(const Subject& in);

/// Whether any library's symbol of the candidate is a shim under some prefix; for clauses.
struct SeenShim {
  const Library* library;
  const Symbol* symbol;
  ShimName name;
};
/// Shims among the exports, or the imports, of some libraries; our extensions left out.
std::vector<SeenShim> exported_shims(const Libraries& libraries);
std::vector<SeenShim> imported_shims(const Libraries& libraries);

namespace clause {
#define AOTI_STATIC_run(section, name)
#define AOTI_STATIC_load(section, name)
#define AOTI_STATIC_planned(section, name)
#define AOTI_STATIC_symbols(section, name) void section##_##name(Subject& in, Judgement& out);
#define AOTI_STATIC_both(section, name) AOTI_STATIC_symbols(section, name)
#define AOTI_CLAUSE(judge, section, name, level, profile, since, source, sentence) \
  AOTI_STATIC_##judge(section, name)
#include "clauses.def"
#undef AOTI_CLAUSE
#undef AOTI_STATIC_run
#undef AOTI_STATIC_load
#undef AOTI_STATIC_planned
#undef AOTI_STATIC_symbols
#undef AOTI_STATIC_both
}  // namespace clause

}  // namespace aoti_cts::symbols

/// Opens the function that judges one clause statically.
#define SYMBOL_CLAUSE(section, name)                     \
  void aoti_cts::symbols::clause::section##_##name(      \
      [[maybe_unused]] ::aoti_cts::symbols::Subject& in, \
      [[maybe_unused]] ::aoti_cts::symbols::Judgement& out)
