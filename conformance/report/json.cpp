// See json.h. Every field is always there, so that a reader needs no defaults; what does not apply
// is null (have and want of a case that passed, the signal of one that did not crash).
#include "report/json.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>
#include <unordered_map>

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

// The symbols of a report, which may be a hundred thousand: each once, however many clauses have
// something to say about it, with its libraries as places in one list.
class SymbolTable {
 public:
  explicit SymbolTable(const SymbolReport& symbols) {
    for (const SymbolFinding& finding : symbols.findings) add(finding);
  }

  const std::vector<std::string>& libraries() const { return libraries_; }

  // A line for each.
  std::string text() const {
    std::string text = "[";
    for (const Json& row : rows_) {
      text += text.size() == 1 ? "\n      " : ",\n      ";
      text += row.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
    return text + (rows_.empty() ? "]" : "\n    ]");
  }

 private:
  std::size_t library(const std::string& path) {
    const auto [found, fresh] = places_.emplace(path, libraries_.size());
    if (fresh) libraries_.push_back(path);
    return found->second;
  }

  void add(const SymbolFinding& one) {
    const std::size_t place = library(one.library);
    const auto [found, fresh] =
        known_.try_emplace({place, one.symbol, one.version, one.type, one.binding}, rows_.size());
    if (fresh) {
      rows_.push_back(
          {{"symbol", one.symbol},
           {"demangled", text_or_null(one.demangled == one.symbol ? std::string() : one.demangled)},
           {"group", one.group},
           {"library", place},
           {"type", one.type},
           {"binding", one.binding},
           {"version", text_or_null(one.version)},
           {"findings", Json::array()}});
    }
    Json other = nullptr;
    if (!one.other_library.empty()) {
      other = {{"library", library(one.other_library)},
               {"type", one.other_type},
               {"binding", one.other_binding},
               {"version", text_or_null(one.other_version)}};
    }
    rows_[found->second]["findings"].push_back(
        {{"clause", one.clause}, {"counts", one.counts}, {"other", std::move(other)}});
  }

  std::vector<std::string> libraries_;
  std::unordered_map<std::string, std::size_t> places_;
  std::map<std::tuple<std::size_t, std::string, std::string, std::string, std::string>, std::size_t>
      known_;
  std::vector<Json> rows_;
};

// The object's last key is written by hand: pretty printing makes a line of each value.
std::string with_symbols(Json json, const SymbolReport& symbols) {
  const SymbolTable table(symbols);
  json["symbols"] = {{"against", symbols.against},
                     {"blobs", symbols.blobs},
                     {"suggestions", symbols.suggestions},
                     {"libraries", table.libraries()}};
  static constexpr std::string_view end = "\n  }\n}";
  std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace);
  text.resize(text.size() - end.size());
  return text + ",\n    \"found\": " + table.text() + std::string(end) + "\n";
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
  // Texts were made printable where they came in; `replace` is for paths, which may be any bytes.
  if (report.symbols) return with_symbols(std::move(json), *report.symbols);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace aoti_cts
