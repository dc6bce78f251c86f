// See junit.h. Elements and attributes are those that the common JUnit schemas share.
#include "report/junit.h"

#include <fmt/format.h>

#include <pugixml.hpp>
#include <sstream>

#include "report/text.h"

namespace aoti_cts {
namespace {

std::string failure_text(const CaseResult& row) {
  std::string text = row.detail;
  for (const Failure& failure : row.failures) {
    if (!text.empty()) text += "\n";
    text += fmt::format("{}\n  have {}\n  want {}", failure.what, failure.have, failure.want);
  }
  if (!row.calls.empty()) text += fmt::format("\ncalls: {}", fmt::join(row.calls, ", "));
  return text;
}

std::string first_words(const CaseResult& row) {
  if (!row.detail.empty()) return row.detail;
  return row.failures.empty() ? "" : row.failures.front().what;
}

// The totals of a suite, which the schema wants as attributes.
struct Totals {
  int tests = 0;
  int failures = 0;
  int errors = 0;
  int skipped = 0;
  double seconds = 0;
};

void add_outcome(pugi::xml_node node, const Report& report, const ClauseResult& result,
                 const CaseResult& row, Totals& totals) {
  const bool failed = is_failure(row.verdict);
  std::string message = fmt::format("{}: {}", to_string(row.verdict), first_words(row));
  if (row.verdict == Verdict::Skip || row.verdict == Verdict::Waived ||
      (failed && !counts(report, *result.clause))) {
    if (row.verdict == Verdict::Waived) {
      message = fmt::format("WAIVED {}: {} (waiver: {})", to_string(row.waived_from),
                            first_words(row), row.waiver);
    } else if (failed) {
      message = "not counted without --strict, " + message;
    }
    node.append_child("skipped").append_attribute("message") = message.c_str();
    ++totals.skipped;
  } else if (failed) {
    const bool wrong = row.verdict == Verdict::Fail;
    pugi::xml_node child = node.append_child(wrong ? "failure" : "error");
    child.append_attribute("message") = message.c_str();
    child.append_attribute("type") = to_string(row.verdict);
    child.text() = failure_text(row).c_str();
    ++(wrong ? totals.failures : totals.errors);
  }
  if (row.verdict == Verdict::Info && !row.detail.empty()) {
    node.append_child("system-out").text() = row.detail.c_str();
  }
  if (!row.stderr_tail.empty()) node.append_child("system-err").text() = row.stderr_tail.c_str();
}

void set_totals(pugi::xml_node suite, const Totals& totals) {
  suite.append_attribute("tests") = totals.tests;
  suite.append_attribute("failures") = totals.failures;
  suite.append_attribute("errors") = totals.errors;
  suite.append_attribute("skipped") = totals.skipped;
  suite.append_attribute("time") = fmt::format("{:.6f}", totals.seconds).c_str();
}

void add_clause(pugi::xml_node root, const Report& report, const ClauseResult& result,
                Totals& all) {
  pugi::xml_node suite = root.append_child("testsuite");
  suite.append_attribute("name") = result.clause->id.c_str();
  Totals totals;
  for (const CaseResult& row : result.cases) {
    pugi::xml_node node = suite.append_child("testcase");
    node.append_attribute("name") = row.name.c_str();
    node.append_attribute("classname") = result.clause->id.c_str();
    node.append_attribute("time") = fmt::format("{:.6f}", row.ms / 1000).c_str();
    ++totals.tests;
    totals.seconds += row.ms / 1000;
    add_outcome(node, report, result, row, totals);
  }
  set_totals(suite, totals);
  all.tests += totals.tests;
  all.failures += totals.failures;
  all.errors += totals.errors;
  all.skipped += totals.skipped;
}

// Problems that belong to no case: a suite of their own, where they cannot be overlooked.
void add_problems(pugi::xml_node root, const char* name, const char* kind,
                  const std::vector<std::string>& problems, Totals& all) {
  if (problems.empty()) return;
  pugi::xml_node suite = root.append_child("testsuite");
  suite.append_attribute("name") = name;
  Totals totals;
  for (const std::string& problem : problems) {
    pugi::xml_node node = suite.append_child("testcase");
    node.append_attribute("name") = fmt::format("{}_{}", name, ++totals.tests).c_str();
    node.append_attribute("classname") = name;
    node.append_attribute("time") = "0";
    pugi::xml_node child = node.append_child(kind);
    child.append_attribute("message") = printable(problem).c_str();
    child.append_attribute("type") = name;
  }
  const bool wrong = std::string_view(kind) == "failure";
  (wrong ? totals.failures : totals.errors) = totals.tests;
  set_totals(suite, totals);
  all.tests += totals.tests;
  (wrong ? all.failures : all.errors) += totals.tests;
}

}  // namespace

std::string junit_text(const Report& report) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node root = document.append_child("testsuites");
  root.append_attribute("name") = "aoti-cts";
  Totals all;
  for (const ClauseResult& result : report.results) add_clause(root, report, result, all);
  add_problems(root, "waivers", "failure", report.waiver_problems, all);
  add_problems(root, "tool", "error", report.tool_errors, all);
  root.append_attribute("tests") = all.tests;
  root.append_attribute("failures") = all.failures;
  root.append_attribute("errors") = all.errors;
  root.append_attribute("time") = fmt::format("{:.6f}", report.seconds).c_str();
  std::ostringstream out;
  document.save(out, "  ");
  return out.str();
}

}  // namespace aoti_cts
