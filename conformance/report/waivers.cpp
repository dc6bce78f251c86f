// See waivers.h.
#include "report/waivers.h"

#include <fmt/format.h>
#include <time.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "report/text.h"

namespace aoti_cts {
namespace {

constexpr std::size_t most_bytes = std::size_t{16} << 20;

[[noreturn]] void refuse(const std::string& path, const toml::node& at, const std::string& what) {
  throw std::runtime_error(fmt::format("{}:{}: {}", path, at.source().begin.line, what));
}

std::string text_field(const std::string& path, const std::string& key, const toml::node& value) {
  const auto text = value.value_exact<std::string>();
  if (!text) refuse(path, value, fmt::format("field `{}` has to be a string", key));
  if (text->empty()) refuse(path, value, fmt::format("field `{}` is empty", key));
  return *text;
}

std::vector<std::string> list_field(const std::string& path, const toml::node& value) {
  const toml::array* array = value.as_array();
  if (array == nullptr || array->empty()) {
    refuse(path, value, "field `cases` has to be an array of at least one string");
  }
  std::vector<std::string> list;
  for (const toml::node& element : *array) list.push_back(text_field(path, "cases", element));
  return list;
}

std::string date_field(const std::string& path, const toml::node& value) {
  const auto date = value.value_exact<toml::date>();
  if (!date) refuse(path, value, "field `expiry` has to be a date, as in 2027-06-30, no quotes");
  return fmt::format("{:04}-{:02}-{:02}", date->year, date->month, date->day);
}

Waiver read_entry(const std::string& path, const toml::node& node) {
  const toml::table* table = node.as_table();
  if (table == nullptr) refuse(path, node, "`waiver` has to be written as [[waiver]]");
  Waiver waiver;
  waiver.file = path;
  waiver.line = static_cast<long>(node.source().begin.line);
  for (const auto& [key, value] : *table) {
    const std::string name(key.str());
    if (name == "clause") {
      waiver.clause = text_field(path, name, value);
    } else if (name == "cases") {
      waiver.cases = list_field(path, value);
    } else if (name == "candidate") {
      waiver.candidate = text_field(path, name, value);
    } else if (name == "reason") {
      waiver.reason = text_field(path, name, value);
    } else if (name == "link") {
      waiver.link = text_field(path, name, value);
    } else if (name == "expiry") {
      waiver.expiry = date_field(path, value);
    } else if (name == "varies") {
      const auto flag = value.value_exact<bool>();
      if (!flag) refuse(path, value, "field `varies` has to be true or false");
      waiver.varies = *flag;
    } else {
      refuse(path, value,
             fmt::format("unknown field `{}`; there are clause, cases, candidate, reason, link, "
                         "expiry and varies",
                         name));
    }
  }
  if (waiver.clause.empty()) refuse(path, node, "field `clause` is missing");
  if (waiver.reason.empty()) refuse(path, node, "field `reason` is missing");
  if (waiver.varies && waiver.cases.empty()) {
    refuse(path, node, "field `varies` needs `cases`: what may pass or fail has to be named");
  }
  return waiver;
}

std::string where(const Waiver& waiver) {
  return fmt::format("{}:{}: waiver of `{}`", waiver.file, waiver.line, waiver.clause);
}

bool for_this_candidate(const Report& report, const Waiver& waiver) {
  return std::any_of(report.candidate.begin(), report.candidate.end(), [&](const auto& file) {
    return glob_match(waiver.candidate, std::filesystem::path(file.path).filename().string());
  });
}

// Applies one entry; see apply_waivers().
class Applied {
 public:
  Applied(Report& report, const Waiver& waiver, const std::vector<KnownCase>& known)
      : report_(report), waiver_(waiver), known_(known) {}

  void apply() {
    if (waiver_.cases.empty()) {
      whole_clauses();
    } else {
      for (const std::string& pattern : waiver_.cases) named_cases(pattern);
      if (waiver_.varies && varied_ > 0 && waived_ == 0) {
        report_.notes.push_back(fmt::format(
            "{} covered nothing in this run: all {} cases that it names passed, as they may",
            where(waiver_), varied_));
      }
    }
  }

 private:
  void problem(const std::string& what) {
    report_.waiver_problems.push_back(where(waiver_) + " " + what);
  }

  bool failed(const CaseResult& row) const {
    return is_failure(row.verdict) || row.verdict == Verdict::Waived;
  }

  void waive(CaseResult& row) {
    if (row.verdict == Verdict::Waived) return;  // an earlier entry has it already
    row.waived_from = row.verdict;
    row.verdict = Verdict::Waived;
    row.waiver = waiver_.link.empty() ? waiver_.reason
                                      : fmt::format("{} ({})", waiver_.reason, waiver_.link);
  }

  // Cases of the matching clauses whose names match, counted over everything there is.
  std::size_t known_cases(const std::string& clause, const std::string& pattern) const {
    return static_cast<std::size_t>(
        std::count_if(known_.begin(), known_.end(), [&](const KnownCase& row) {
          return glob_match(clause, row.clause) && glob_match(pattern, row.name);
        }));
  }

  void whole_clauses() {
    bool used = false;
    std::size_t seen = 0;
    for (ClauseResult& result : report_.results) {
      if (!glob_match(waiver_.clause, result.clause->id)) continue;
      seen += result.cases.size();
      bool here = false;
      for (CaseResult& row : result.cases) {
        if (!failed(row)) continue;
        waive(row);
        here = true;
      }
      used = used || here;
      const bool complete = result.cases.size() == known_cases(result.clause->id, "*");
      const bool judged = std::any_of(result.cases.begin(), result.cases.end(),
                                      [](const auto& row) { return row.verdict != Verdict::Skip; });
      if (!here && judged && complete) {
        problem(fmt::format("is not needed: {} has no failing case", result.clause->id));
        used = true;
      }
    }
    const bool partly_deselected = seen < known_cases(waiver_.clause, "*");
    if (!used && !partly_deselected) problem("is unused: nothing that it names was judged");
  }

  void named_cases(const std::string& pattern) {
    std::size_t seen = 0;
    bool used = false;
    for (ClauseResult& result : report_.results) {
      if (!glob_match(waiver_.clause, result.clause->id)) continue;
      for (CaseResult& row : result.cases) {
        if (!glob_match(pattern, row.name)) continue;
        ++seen;
        if (failed(row)) {
          waive(row);
          ++waived_;
          used = true;
        } else if (waiver_.varies) {
          varied_ += row.verdict == Verdict::Skip ? 0 : 1;
          used = true;
        } else if (row.verdict != Verdict::Skip) {
          problem(fmt::format("is not needed for {}/{}, which did not fail", result.clause->id,
                              row.name));
          used = true;
        }
      }
    }
    const bool partly_deselected = seen < known_cases(waiver_.clause, pattern);
    if (!used && !partly_deselected) {
      problem(fmt::format("is unused: no failing case matches `{}`", pattern));
    }
  }

  Report& report_;
  const Waiver& waiver_;
  const std::vector<KnownCase>& known_;
  std::size_t waived_ = 0;  // cases of an entry that names them
  std::size_t varied_ = 0;  // those that passed where either is allowed
};

bool load_failed(const Report& report) {
  return std::any_of(report.results.begin(), report.results.end(), [](const auto& result) {
    return result.clause->judge == Judge::Load && !result.cases.empty() &&
           is_failure(result.cases.front().verdict);
  });
}

// With nothing loaded nothing was judged, and entries on anything else cannot be told stale.
bool about_the_load(const Report& report, const Waiver& waiver) {
  return std::any_of(report.results.begin(), report.results.end(), [&](const auto& result) {
    return result.clause->judge == Judge::Load && glob_match(waiver.clause, result.clause->id);
  });
}

}  // namespace

std::vector<Waiver> parse_waivers(const std::string& text, const std::string& path) {
  std::vector<Waiver> waivers;
  try {
    const toml::table root = toml::parse(text, path);
    for (const auto& [key, value] : root) {
      if (key.str() != "waiver") {
        refuse(path, value,
               fmt::format("unknown field `{}`; a waiver file holds [[waiver]] "
                           "entries and nothing else",
                           key.str()));
      }
      const toml::array* entries = value.as_array();
      if (entries == nullptr) refuse(path, value, "`waiver` has to be written as [[waiver]]");
      for (const toml::node& entry : *entries) waivers.push_back(read_entry(path, entry));
    }
  } catch (const toml::parse_error& error) {
    throw std::runtime_error(
        fmt::format("{}:{}: {}", path, error.source().begin.line, error.description()));
  }
  return waivers;
}

std::vector<Waiver> read_waivers(const std::string& path) {
  if (std::filesystem::is_directory(path)) {  // which a stream opens and finds empty
    throw std::runtime_error(fmt::format("{}: the waiver file is a directory", path));
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(most_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) {
    throw std::runtime_error(fmt::format("{}: the waiver file cannot be read", path));
  }
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.size() > most_bytes) {
    throw std::runtime_error(
        fmt::format("{}: the waiver file has more than {} bytes", path, most_bytes));
  }
  return parse_waivers(text, path);
}

void apply_waivers(Report& report, const std::vector<Waiver>& waivers,
                   const std::vector<KnownCase>& known, const std::string& today) {
  const bool nothing_loaded = load_failed(report);
  for (const Waiver& waiver : waivers) {
    if (!for_this_candidate(report, waiver)) continue;
    if (!waiver.expiry.empty() && waiver.expiry < today) {
      report.waiver_problems.push_back(
          fmt::format("{} expired on {}", where(waiver), waiver.expiry));
      continue;
    }
    if (nothing_loaded && !about_the_load(report, waiver)) continue;
    Applied(report, waiver, known).apply();
  }
}

std::string today_utc() {
  const time_t now = time(nullptr);
  tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

}  // namespace aoti_cts
