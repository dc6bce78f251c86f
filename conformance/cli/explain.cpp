// aoti-cts explain: one clause in full.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/subcommand.h"
#include "report/text.h"
#include "suite/case.h"
#include "suite/clause.h"

namespace aoti_cts::cli {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char ch) { return ch == '_' ? '-' : static_cast<char>(std::tolower(ch)); });
  return text;
}

[[noreturn]] void unknown(const std::string& id) {
  std::vector<std::string> near;
  for (const Clause& clause : clauses()) {
    if (lower(clause.id).find(lower(id)) != std::string::npos) near.push_back(clause.id);
  }
  throw UsageError(fmt::format("no clause {}{}{}", id,
                               near.empty() ? "; see aoti-cts list" : "; is it ",
                               fmt::join(near, ", ")));
}

const char* judged(Judge judge) {
  switch (judge) {
    case Judge::Load:
      return "by `aoti-cts check`, as it loads the candidate";
    case Judge::Run:
      return "by `aoti-cts check`, by running cases";
    case Judge::Symbols:
      return "from symbol tables, nothing is executed";
    case Judge::Both:
      return "from symbol tables, and by `aoti-cts check` by running cases";
    case Judge::Planned:
      return "not yet: planned";
  }
  return "?";
}

int explain(const std::string& id) {
  const Clause* clause = find_clause(id);
  if (clause == nullptr) {
    for (const Clause& other : clauses()) {
      if (lower(other.id) == lower(id)) clause = &other;
    }
  }
  if (clause == nullptr) unknown(id);
  std::string text =
      fmt::format("{}  {}\n\n  {}\n\n", clause->id, to_string(clause->level), clause->sentence);
  text += fmt::format("profile  {}\nsource   {}\nsince    {}\njudged   {}\n", clause->profile,
                      clause->source, clause->since, judged(clause->judge));
  bool titled = false;
  for (const suite::CaseRow& row : suite::all_cases()) {
    if (row.clause != clause->id) continue;
    text += fmt::format("{}{}\n", titled ? "         " : "cases    ", row.name);
    titled = true;
  }
  print(text);
  return 0;
}

std::function<int()> setup(CLI::App& app) {
  auto id = std::make_shared<std::string>();
  app.add_option("clause", *id, "A clause id, as in TENSOR.clone")->required();
  return [id] { return explain(*id); };
}

const Subcommand command("explain", "Explain one clause", setup);

}  // namespace
}  // namespace aoti_cts::cli
