// Section SYM, the run-time half: SYM.dlsym-agrees, SYM.interposition, SYM.inner-calls. What the
// loader does depends on what is loaded already, so each body sends the libraries to a process of
// its own (aoti-cts-probe) in the order under test. In libtorch's place stands a decoy that exports
// every shim and counts its calls; with --against the real one is tried too.
//
// Run alone: aoti-cts check --select 'SYM.[di]*'; success prints "PASS" for each clause.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "suite/files.h"
#include "suite/settings.h"
#include "symbols/decoy.h"
#include "symbols/library.h"
#include "symbols/names.h"
#include "symbols/probe.h"

namespace aoti_cts::suite {
namespace {

using symbols::Found;
using symbols::ProbeAnswer;
using symbols::ScratchFolder;
using symbols::Symbol;
using Steps = std::vector<std::string>;

void add_loads(Steps& steps, const char* scope, const std::vector<std::string>& files) {
  for (const std::string& file : files) steps.insert(steps.end(), {scope, file});
}

// Steps that begin as every load of the candidate does; the libraries that follow count from the
// number of preloaded ones.
Steps first_steps() {
  Steps steps;
  add_loads(steps, "global", settings().preload);
  return steps;
}

std::string resolved(const std::string& file) { return std::filesystem::canonical(file).string(); }

std::vector<std::string> shims_of(symbols::Library& library) {
  std::vector<std::string> names;
  for (const Symbol& symbol : library.exports()) {
    const auto shim = symbols::shim_name(symbol.name);
    if (shim && shim->prefix == settings().prefix) names.emplace_back(symbol.name);
  }
  return names;
}

/// A library whose symbol table was read whole. What the loader takes need not be readable: then
/// `unreadable` has the reason.
std::unique_ptr<symbols::Library> read_library(const std::string& file, std::string& unreadable) {
  try {
    auto library = std::move(symbols::open_libraries(symbols::FileInput::open(file)).front());
    library->exports();
    return library;
  } catch (const symbols::BadFile& error) {
    unreadable = error.what();
    return nullptr;
  }
}

/// The same for a case that stands on the table without judging it.
std::unique_ptr<symbols::Library> need_library(Case& c, const std::string& file) {
  std::string unreadable;
  auto library = read_library(file, unreadable);
  if (library == nullptr) c.skip("a symbol table cannot be read: " + unreadable);
  return library;
}

/// The answers of a process that did these steps: as many lines as are expected.
std::vector<std::string> ask(Case& c, const Steps& steps, size_t expected) {
  ProbeAnswer answer = symbols::run_probe(steps);
  HAVE_WANT_AS("how the process that loads the candidate ended, if not as it should",
               answer.problem, std::string());
  if (!answer.problem.empty()) throw EndCase{};
  HAVE_WANT_AS("lines that this process answered", answer.lines.size(), expected);
  if (answer.lines.size() != expected) throw EndCase{};
  return std::move(answer.lines);
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + "\n";
  return text;
}

// The first few of what went wrong; a report needs no more.
std::vector<std::string> first_of(std::vector<std::string> problems) {
  const size_t all = problems.size();
  if (all > 8) {
    problems.resize(8);
    problems.push_back(fmt::format("and {} more", all - 8));
  }
  return problems;
}

// --- SYM.dlsym-agrees -------------------------------------------------------------------------

// Where a symbol's value says that it is, seen from its library's start. Thread-local, absolute and
// unique symbols may be anywhere.
bool has_fixed_place(const Symbol& symbol) {
  return (symbol.kind == Symbol::Kind::Function || symbol.kind == Symbol::Kind::Data) &&
         symbol.binding != Symbol::Binding::Unique && symbol.default_version;
}

bool is_somewhere_else(const Symbol& symbol) {
  return symbol.kind == Symbol::Kind::Tls || symbol.kind == Symbol::Kind::Absolute ||
         symbol.binding == Symbol::Binding::Unique;
}

std::string disagreement(const Symbol& symbol, const Found& found, const std::string& file,
                         std::optional<int64_t>& base) {
  const std::string name(symbol.name);
  if (!found.found) return name + ": dlsym finds nothing";
  if (is_somewhere_else(symbol)) return "";
  if (found.file != file) {
    return fmt::format("{}: found in {}", name,
                       found.file.empty() ? "no library's mapping" : found.file);
  }
  if (!has_fixed_place(symbol)) return "";
  const int64_t here = static_cast<int64_t>(symbol.value) - found.offset;
  if (!base) base = here;  // 0 but for prelinked libraries
  return here == *base ? "" : fmt::format("{}: found at another symbol's address", name);
}

/// A candidate that removes its own file as it is loaded leaves nothing to read or to load again.
void need_libraries(Case& c) {
  need_files(c);
  for (const std::string& file : settings().candidate) {
    if (!std::filesystem::exists(file)) c.skip(fmt::format("{} is no longer there", file));
  }
}

void judge_agreement(Case& c, const char* scope) {
  need_libraries(c);
  const auto& files = settings().candidate;
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string file = resolved(files[i]);
    std::string unreadable;
    const auto library = read_library(file, unreadable);
    if (library == nullptr) {
      c.fail("a symbol table that the loader takes", unreadable, "one that can be read");
      continue;
    }
    std::vector<std::string> names;
    for (const Symbol& symbol : library->exports()) names.emplace_back(symbol.name);
    const ScratchFolder scratch;
    Steps steps = first_steps();
    add_loads(steps, scope, files);
    const size_t at = settings().preload.size() + i;
    steps.insert(steps.end(), {"find", std::to_string(at), scratch.write("names", joined(names))});
    const std::vector<std::string> lines = ask(c, steps, names.size());
    std::vector<std::string> problems;
    std::optional<int64_t> base;
    for (size_t row = 0; row < names.size(); ++row) {
      const Found found = symbols::read_found(lines[row]);
      std::string problem = disagreement(library->exports()[row], found, file, base);
      if (!problem.empty()) problems.push_back(std::move(problem));
    }
    HAVE_WANT_AS(fmt::format("the {} exports of {} that dlsym does not find in it", names.size(),
                             library->file_name()),
                 first_of(problems), std::vector<std::string>());
  }
}

// --- SYM.interposition ------------------------------------------------------------------------

enum class First { Libtorch, Candidate };

std::vector<std::string> problems_of(const std::vector<std::string>& lines, size_t begin,
                                     const std::vector<std::string>& names,
                                     const std::vector<std::string>& own,
                                     const std::vector<std::string>& others) {
  std::vector<std::string> problems;
  for (size_t i = 0; i < names.size(); ++i) {
    const Found found = symbols::read_found(lines[begin + i]);
    const auto is_in = [&](const std::vector<std::string>& files) {
      return std::any_of(files.begin(), files.end(),
                         [&](const std::string& file) { return resolved(file) == found.file; });
    };
    if (!found.found) {
      problems.push_back(names[i] + ": nothing");
    } else if (!is_in(own) && is_in(others)) {
      problems.push_back(fmt::format("{}: in {}", names[i], found.file));
    }
  }
  return problems;
}

// Loads both in the order given, asks both for their shims, and wants each in its own.
void judge_order(Case& c, First first, const char* scope, const std::vector<std::string>& other,
                 const std::string& other_prefix) {
  const auto& own = settings().candidate;
  const ScratchFolder scratch;
  Steps steps = first_steps();
  if (first == First::Libtorch) add_loads(steps, "global", other);
  add_loads(steps, scope, own);
  if (first == First::Candidate) add_loads(steps, "global", other);
  const size_t begin = settings().preload.size();
  const size_t own_at = begin + (first == First::Libtorch ? other.size() : 0);
  const size_t other_at = begin + (first == First::Libtorch ? 0 : own.size());
  std::vector<std::vector<std::string>> names;
  size_t expected = 0;
  const auto find_shims = [&](const std::vector<std::string>& files, size_t at) {
    for (size_t i = 0; i < files.size(); ++i) {
      const auto library = need_library(c, files[i]);
      names.emplace_back();
      const bool is_own = &files == &own;
      for (const Symbol& symbol : library->exports()) {
        const auto shim = symbols::shim_name(symbol.name);
        if (shim && shim->prefix == (is_own ? settings().prefix : other_prefix)) {
          names.back().emplace_back(symbol.name);
        }
      }
      const std::string list =
          scratch.write(fmt::format("names{}", names.size()), joined(names.back()));
      steps.insert(steps.end(), {"find", std::to_string(at + i), list});
      expected += names.back().size();
    }
  };
  find_shims(own, own_at);
  find_shims(other, other_at);
  const std::vector<std::string> lines = ask(c, steps, expected);
  size_t line = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    const bool is_own = i < own.size();
    const std::string& file = is_own ? own[i] : other[i - own.size()];
    HAVE_WANT_AS(
        fmt::format("shims of {} that dlsym on it finds in the other",
                    std::filesystem::path(file).filename().string()),
        first_of(problems_of(lines, line, names[i], is_own ? own : other, is_own ? other : own)),
        std::vector<std::string>());
    line += names[i].size();
  }
}

bool is_candidate(const std::string& file) {
  const auto& own = settings().candidate;
  return std::any_of(own.begin(), own.end(),
                     [&](const std::string& other) { return resolved(other) == resolved(file); });
}

// The decoy in libtorch's place; and libtorch itself where it is given and not the candidate.
void judge_beside(Case& c, First first, const char* scope) {
  need_files(c);
  const ScratchFolder scratch;
  const std::string decoy = scratch.file("libtorch_stand_in.so");
  symbols::make_decoy("", decoy);
  judge_order(c, first, scope, {decoy}, "");
  std::vector<std::string> libtorch;
  for (const std::string& file : settings().against) {
    if (!is_candidate(file)) libtorch.push_back(file);
  }
  if (!libtorch.empty()) judge_order(c, first, scope, libtorch, "");
}

// --- SYM.inner-calls --------------------------------------------------------------------------

void judge_inner_calls(Case& c, const char* scope) {
  need_files(c);
  const ScratchFolder scratch;
  const std::string decoy = scratch.file("decoy.so");
  symbols::make_decoy(settings().prefix, decoy);
  const auto& files = settings().candidate;
  bool called = false;
  for (size_t i = 0; i < files.size(); ++i) {
    const auto library = need_library(c, files[i]);
    if (shims_of(*library).empty()) continue;
    called = true;
    Steps steps = {"global", decoy};
    add_loads(steps, "global", settings().preload);
    add_loads(steps, scope, files);
    const size_t at = 1 + settings().preload.size() + i;
    steps.insert(steps.end(), {"call", std::to_string(at), settings().prefix, "count", "0"});
    const std::vector<std::string> lines = ask(c, steps, 1);
    HAVE_WANT_AS(fmt::format("calls from the shims of {} that went to the decoy, and the last one",
                             library->file_name()),
                 lines.front(), std::string("0 "));
  }
  if (!called) c.skip("no library of the candidate exports a shim");
}

}  // namespace

CLAUSE_CASES(SYM, dlsym_agrees) {
  cases.add("local", [](Case& c) { judge_agreement(c, "local"); });
  cases.add("global", [](Case& c) { judge_agreement(c, "global"); });
}

CLAUSE_CASES(SYM, interposition) {
  for (const char* scope : {"local", "global"}) {
    const std::string name(scope);
    cases.add("libtorch_first_" + name,
              [scope](Case& c) { judge_beside(c, First::Libtorch, scope); });
    cases.add("candidate_first_" + name,
              [scope](Case& c) { judge_beside(c, First::Candidate, scope); });
  }
}

CLAUSE_CASES(SYM, inner_calls) {
  cases.add("local", [](Case& c) { judge_inner_calls(c, "local"); });
  cases.add("global", [](Case& c) { judge_inner_calls(c, "global"); });
}

}  // namespace aoti_cts::suite
