// Gathers the cases of every delivered clause. Taking each function's address here is what makes a
// clause without cases a link error; it is also why the suite's files are compiled into executables
// and never into an archive.
#include <stdexcept>

#include "suite/case.h"
#include "suite/clause.h"

namespace aoti_cts::suite {
namespace {

struct Source {
  const char* section;
  const char* name;
  void (*fill)(CaseList&);
};

constexpr Source sources[] = {
#define AOTI_CASES_run(section, name) {#section, #name, &clause::section##_##name},
#define AOTI_CASES_both(section, name) AOTI_CASES_run(section, name)
#define AOTI_CASES_load(section, name)
#define AOTI_CASES_symbols(section, name)
#define AOTI_CASES_planned(section, name)
#define AOTI_CLAUSE(judge, section, name, level, profile, since, source, sentence) \
  AOTI_CASES_##judge(section, name)
#include "clauses.def"
#undef AOTI_CLAUSE
};

void check_name(const std::vector<CaseRow>& rows, const CaseRow& row) {
  for (const char ch : row.name) {
    if (!isalnum(static_cast<unsigned char>(ch)) && ch != '_') {
      throw std::logic_error(
          fmt::format("case {}/{}: names are [A-Za-z0-9_]+", row.clause, row.name));
    }
  }
  for (const CaseRow& other : rows) {
    if (&other == &row) break;
    if (other.name == row.name) {
      throw std::logic_error(fmt::format("case {}/{} is registered twice", row.clause, row.name));
    }
  }
}

std::vector<CaseRow> gather() {
  std::vector<CaseRow> all;
  for (const Source& source : sources) {
    std::string id = fmt::format("{}.{}", source.section, source.name);
    for (char& ch : id) {
      if (ch == '_') ch = '-';
    }
    CaseList list(id);
    source.fill(list);
    if (list.rows().empty()) throw std::logic_error(fmt::format("clause {} has no cases", id));
    for (const CaseRow& row : list.rows()) check_name(list.rows(), row);
    all.insert(all.end(), list.rows().begin(), list.rows().end());
  }
  return all;
}

}  // namespace

const std::vector<CaseRow>& all_cases() {
  static const std::vector<CaseRow> rows = gather();
  return rows;
}

}  // namespace aoti_cts::suite
