// See sarif.h. Only properties of the published 2.1.0 schema are used.
#include "report/sarif.h"

#include <fmt/format.h>

#include <cctype>
#include <cstring>
#include <nlohmann/json.hpp>

namespace aoti_cts {
namespace {

using Json = nlohmann::ordered_json;

// A path as a URI reference: what is not plain is percent-encoded.
std::string uri_of(const std::string& path) {
  std::string uri = path.empty() || path.front() != '/' ? "" : "file://";
  for (const char ch : path) {
    const bool plain = isalnum(static_cast<unsigned char>(ch)) || std::strchr("-._~/!+", ch);
    uri += plain && ch != 0 ? std::string(1, ch)
                            : fmt::format("%{:02X}", static_cast<unsigned char>(ch));
  }
  return uri;
}

Json rule_json(const Report& report, const Clause& clause) {
  Json rule;
  rule["id"] = clause.id;
  rule["shortDescription"] = {{"text", clause.sentence}};
  rule["defaultConfiguration"] = {{"level", counts(report, clause) ? "error" : "warning"}};
  rule["properties"] = {{"level", to_string(clause.level)}, {"source", clause.source}};
  return rule;
}

std::string message_of(const CaseResult& row) {
  std::string text =
      fmt::format("{}{}{}", to_string(row.verdict), row.detail.empty() ? "" : ": ", row.detail);
  for (const Failure& failure : row.failures) {
    text += fmt::format("\n{}: have {}, want {}", failure.what, failure.have, failure.want);
  }
  const auto more = row.failure_count - static_cast<int64_t>(row.failures.size());
  if (more > 0) text += fmt::format("\nand {} more", more);
  return text;
}

Json result_json(const Report& report, const ClauseResult& clause, const CaseResult& row,
                 std::size_t rule) {
  const bool waived = row.verdict == Verdict::Waived;
  const std::string path = report.candidate.empty() ? "" : report.candidate.front().path;
  Json result;
  result["ruleId"] = clause.clause->id;
  result["ruleIndex"] = rule;
  result["kind"] = "fail";
  result["level"] = waived ? "note" : counts(report, *clause.clause) ? "error" : "warning";
  result["message"] = {{"text", message_of(row)}};
  result["locations"] = {{{"physicalLocation", {{"artifactLocation", {{"uri", uri_of(path)}}}}},
                          {"logicalLocations", {{{"name", clause.clause->id + "/" + row.name}}}}}};
  if (waived) {
    result["suppressions"] = {{{"kind", "external"}, {"justification", row.waiver}}};
  }
  return result;
}

}  // namespace

std::string sarif_text(const Report& report) {
  Json rules = Json::array();
  Json results = Json::array();
  for (const ClauseResult& clause : report.results) {
    const std::size_t rule = rules.size();
    rules.push_back(rule_json(report, *clause.clause));
    for (const CaseResult& row : clause.cases) {
      if (!is_failure(row.verdict) && row.verdict != Verdict::Waived) continue;
      results.push_back(result_json(report, clause, row, rule));
    }
  }
  Json notifications = Json::array();
  for (const auto* texts : {&report.waiver_problems, &report.tool_errors}) {
    for (const std::string& text : *texts) {
      notifications.push_back({{"level", "error"}, {"message", {{"text", text}}}});
    }
  }
  Json run;
  run["tool"] = {
      {"driver",
       {{"name", "aoti-cts"}, {"version", AOTI_CTS_VERSION}, {"rules", std::move(rules)}}}};
  run["invocations"] = {{{"executionSuccessful", report.tool_errors.empty()},
                         {"exitCode", static_cast<int>(outcome(report))},
                         {"toolExecutionNotifications", std::move(notifications)}}};
  run["results"] = std::move(results);
  Json json;
  json["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  json["version"] = "2.1.0";
  json["runs"] = Json::array({std::move(run)});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace aoti_cts
