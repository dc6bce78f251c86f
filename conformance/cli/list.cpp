// aoti-cts list: the clause table and the shim manifest, for people and for machines.
#include <aoti_shim/table.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/subcommand.h"
#include "suite/case.h"
#include "suite/clause.h"

namespace aoti_cts::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  bool shims = false;
  bool json = false;
};

std::size_t case_count(const Clause& clause) {
  const auto& rows = suite::all_cases();
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [&](const auto& row) { return row.clause == clause.id; }));
}

void list_clauses_json() {
  Json all = Json::array();
  for (const Clause& clause : clauses()) {
    Json cases = Json::array();
    for (const suite::CaseRow& row : suite::all_cases()) {
      if (row.clause == clause.id) cases.push_back(row.name);
    }
    all.push_back({{"clause", clause.id},
                   {"level", to_string(clause.level)},
                   {"judge", to_string(clause.judge)},
                   {"profile", clause.profile},
                   {"since", clause.since},
                   {"source", clause.source},
                   {"sentence", clause.sentence},
                   {"cases", std::move(cases)}});
  }
  print(all.dump(2) + "\n");
}

void list_clauses() {
  std::size_t width = 0;
  for (const Clause& clause : clauses()) width = std::max(width, clause.id.size());
  std::string text;
  for (const Clause& clause : clauses()) {
    const std::string judge = clause.judge == Judge::Run || clause.judge == Judge::Both
                                  ? fmt::format("{} cases", case_count(clause))
                                  : to_string(clause.judge);
    text += fmt::format("{:<{}}  {:<6}  {:<14}  {:<9}  {}\n", clause.id, width,
                        to_string(clause.level), clause.profile, judge, clause.source);
  }
  print(text);
}

void list_shims(bool json) {
  Json all = Json::array();
  std::string text;
  for (const AotiShimRow& row : aoti_shim_rows) {
    if (std::strcmp(row.origin, "aoti_cts") == 0) continue;
    all.push_back({{"name", row.name},
                   {"tier", row.tier},
                   {"origin", row.origin},
                   {"signature", row.signature}});
    text += fmt::format("{:<9}  {:<13}  {}  {}\n", row.tier, row.origin, row.name, row.signature);
  }
  print(json ? all.dump(2) + "\n" : text);
}

std::function<int()> setup(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_flag("--shims", options->shims, "The shims of the manifest instead of the clauses");
  app.add_flag("--json", options->json, "As JSON");
  return [options] {
    if (options->shims) {
      list_shims(options->json);
    } else if (options->json) {
      list_clauses_json();
    } else {
      list_clauses();
    }
    return 0;
  };
}

const Subcommand command("list", "List clauses: id, level, profile, judge, source", setup);

}  // namespace
}  // namespace aoti_cts::cli
