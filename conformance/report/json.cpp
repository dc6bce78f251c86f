// See json.h. Every field is always there, so that a reader needs no defaults; what does not apply
// is null (have and want of a case that passed, the signal of one that did not crash).
#include "report/json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace aoti_cts {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json case_json(const CaseResult& row) {
  Json failures = Json::array();
  for (const Failure& failure : row.failures) {
    failures.push_back({{"what", failure.what}, {"have", failure.have}, {"want", failure.want}});
  }
  const bool failed = !row.failures.empty();
  Json json;
  json["name"] = row.name;
  json["verdict"] = to_string(row.verdict);
  json["have"] = failed ? Json(row.failures.front().have) : Json(nullptr);
  json["want"] = failed ? Json(row.failures.front().want) : Json(nullptr);
  json["signal"] = row.signal == 0 ? Json(nullptr) : Json(signal_name(row.signal));
  const Verdict ended = row.verdict == Verdict::Waived ? row.waived_from : row.verdict;
  json["exit_code"] = ended == Verdict::Exit ? Json(row.exit_code) : Json(nullptr);
  json["ms"] = std::round(row.ms * 1000) / 1000;
  json["detail"] = text_or_null(row.detail);
  json["assertions"] = row.assertions;
  json["failure_count"] = row.failure_count;
  json["failures"] = std::move(failures);
  json["calls"] = row.calls;
  json["output"] = text_or_null(row.stderr_tail);
  json["waiver"] = text_or_null(row.waiver);
  json["waived_from"] =
      row.verdict == Verdict::Waived ? Json(to_string(row.waived_from)) : Json(nullptr);
  return json;
}

Json clause_json(const Report& report, const ClauseResult& result) {
  Json json;
  json["clause"] = result.clause->id;
  json["level"] = to_string(result.clause->level);
  json["verdict"] = to_string(result.verdict);
  json["counts"] = counts(report, *result.clause);
  json["profile"] = result.clause->profile;
  json["source"] = result.clause->source;
  json["sentence"] = result.clause->sentence;
  json["cases"] = Json::array();
  for (const CaseResult& row : result.cases) json["cases"].push_back(case_json(row));
  return json;
}

Json tally_json(const Tally& tally) {
  Json json;
  for (std::size_t i = 0; i < tally.size(); ++i) {
    json[to_string(static_cast<Verdict>(i))] = tally[i];
  }
  return json;
}

// Fields of the other library are null where a finding is not a pair.
Json finding_json(const SymbolFinding& finding) {
  const auto other = [&](const std::string& text) {
    return finding.other_library.empty() ? Json(nullptr) : Json(text);
  };
  return {{"clause", finding.clause},
          {"symbol", finding.symbol},
          {"demangled", finding.demangled},
          {"group", finding.group},
          {"counts", finding.counts},
          {"library", finding.library},
          {"type", finding.type},
          {"binding", finding.binding},
          {"version", text_or_null(finding.version)},
          {"other_library", other(finding.other_library)},
          {"other_type", other(finding.other_type)},
          {"other_binding", other(finding.other_binding)},
          {"other_version", text_or_null(finding.other_version)}};
}

Json symbols_json(const SymbolReport& symbols) {
  Json findings = Json::array();
  for (const SymbolFinding& finding : symbols.findings) findings.push_back(finding_json(finding));
  return {{"against", symbols.against},
          {"blobs", symbols.blobs},
          {"suggestions", symbols.suggestions},
          {"findings", std::move(findings)}};
}

}  // namespace

std::string json_text(const Report& report) {
  Json json;
  json["schema_version"] = json_schema_version;
  json["tool"] = {{"name", "aoti-cts"}, {"version", AOTI_CTS_VERSION}};
  json["candidate"] = Json::array();
  for (const CandidateFile& file : report.candidate) {
    json["candidate"].push_back({{"path", file.path}, {"build_id", text_or_null(file.build_id)}});
  }
  json["prefix"] = report.prefix;
  json["profiles"] = report.profiles;
  json["strict"] = report.strict;
  json["exit_code"] = static_cast<int>(outcome(report));
  json["outcome"] = describe(outcome(report));
  json["seconds"] = std::round(report.seconds * 1000) / 1000;
  json["summary"] = {{"clauses", tally_json(tally_clauses(report))},
                     {"cases", tally_json(tally_cases(report))},
                     {"clauses_not_judged", report.clauses_not_judged}};
  json["notes"] = report.notes;
  json["waiver_problems"] = report.waiver_problems;
  json["tool_errors"] = report.tool_errors;
  json["results"] = Json::array();
  for (const ClauseResult& result : report.results) {
    json["results"].push_back(clause_json(report, result));
  }
  if (report.symbols) json["symbols"] = symbols_json(*report.symbols);
  // Texts were made printable where they came in; `replace` is for paths, which may be any bytes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace aoti_cts
