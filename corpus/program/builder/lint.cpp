// Rules that a schema cannot say: labels are defined and used, clauses exist and have enough cases
// of both verdicts, a case is there once, no file is there that nobody reads, no key hides another,
// and an invalid case has one defect: the reference parser accepts the program without it, and
// finds no other rule broken by a part of it.
#include "lint.h"

#include <aoti_program/program.h>
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/schema.h>
#include <rapidjson/stringbuffer.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

#include "recipe.h"

namespace aoti_cts::corpus {
namespace {

using nlohmann::json;

constexpr size_t cases_per_clause = 8;

std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return text.str();
}

std::string text_of(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

/// The first key that an object of `text` has twice, of which a parser keeps one; or "".
std::string repeated_key(const std::string& text) {
  std::string repeated;
  std::vector<std::set<std::string>> keys;  // of the objects around
  const auto look = [&](int /*depth*/, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second) {
      repeated = value.get<std::string>();
    }
    return true;
  };
  const json whole = json::parse(text, look);
  return whole.is_null() ? "" : repeated;
}

/// What one recipe contributes to its clause.
struct Tally {
  size_t cases = 0;
  std::set<std::string> verdicts;
};

class Linter {
 public:
  Linter(const std::string& folder, const std::string& clauses)
      : folder_(folder), corpus_(read_corpus(folder)) {
    std::istringstream lines(slurp(clauses));
    for (std::string line; std::getline(lines, line);) read_clause(line);
    labels_ = json::parse(slurp(folder_ / "labels.json")).at("flags");
  }

  std::vector<std::string> run() {
    for (const char* folder : {"cases", "bases"}) check_files(folder);
    check_schema();
    for (const Recipe& recipe : corpus_.recipes) check(recipe);
    for (const auto& [flag, row] : labels_.items()) {
      if (used_flags_.count(flag) == 0) fault("labels.json", "no case has the flag " + flag);
    }
    for (const auto& [base, text] : corpus_.bases) {
      if (used_bases_.count(base) == 0) fault("bases/" + base, "no case starts from it");
    }
    for (const std::string& clause : clauses_) check_tally(clause);
    return faults_;
  }

 private:
  void fault(const std::string& where, const std::string& what) {
    faults_.push_back(where + ": " + what);
  }

  /// Takes the ids of judged PARSE clauses from a line of the clause table.
  void read_clause(const std::string& line) {
    const std::string mark = ", PARSE, ";
    const size_t at = line.find(mark);
    if (line.rfind("AOTI_CLAUSE(", 0) != 0 || at == std::string::npos) return;
    const size_t start = at + mark.size();
    std::string name = line.substr(start, line.find(',', start) - start);
    std::replace(name.begin(), name.end(), '_', '-');
    clauses_.insert("PARSE." + name);
  }

  void check_files(const std::string& folder) {
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / folder)) {
      const std::string name = folder + "/" + entry.path().filename().string();
      if (entry.path().extension() != ".json") {
        fault(name, "is no .json file: nobody reads it");
        continue;
      }
      const std::string key = repeated_key(slurp(entry.path()));
      if (!key.empty()) fault(name, "has the key \"" + key + "\" twice in one object");
    }
  }

  void check_schema() {
    rapidjson::Document schema;
    schema.Parse(slurp(folder_ / "schema.json").c_str());
    if (schema.HasParseError()) return fault("schema.json", "is no JSON");
    const rapidjson::SchemaDocument compiled(schema);
    for (const Recipe& recipe : corpus_.recipes) {
      rapidjson::Document text;
      text.Parse(recipe.text.dump().c_str());
      rapidjson::SchemaValidator validator(compiled);
      if (text.Accept(validator)) continue;
      rapidjson::StringBuffer at;
      validator.GetInvalidDocumentPointer().Stringify(at);
      fault(recipe.id, std::string("breaks the schema's rule \"") +
                           validator.GetInvalidSchemaKeyword() + "\" at \"" + at.GetString() +
                           "\"");
      broken_.insert(recipe.id);
    }
  }

  static void collect_verdicts(const json& node, std::set<std::string>& verdicts) {
    if (node.is_object() && node.contains("verdict")) verdicts.insert(node.at("verdict"));
    for (const json& child : node) {
      if (child.is_structured()) collect_verdicts(child, verdicts);
    }
  }

  void check(const Recipe& recipe) {
    if (broken_.count(recipe.id) != 0) return;
    // Reports spell an id with other separators: only so no two become one.
    if (recipe.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos) {
      fault(recipe.id, "is no id: an id has lower-case letters, digits and hyphens");
    }
    const auto clause = recipe.text.at("clause").get<std::string>();
    if (clauses_.count(clause) == 0) fault(recipe.id, "the clause table has no " + clause);
    for (const json& flag : recipe.text.at("flags")) {
      if (!labels_.contains(flag)) fault(recipe.id, "labels.json defines no flag " + flag.dump());
      used_flags_.insert(flag);
    }
    used_bases_.insert(recipe.text.at("base").get<std::string>());
    std::set<std::string> verdicts;
    collect_verdicts(recipe.text.at("expect"), verdicts);
    check_defect(recipe, verdicts);
    json key = recipe.text;
    for (const char* word : {"about", "source", "flags", "clause"}) key.erase(word);
    const auto [first, fresh] = seen_.emplace(key.dump(), recipe.id);
    if (!fresh) fault(recipe.id, "is the same case as " + first->second);
    if (!recipe.text.contains("sweep")) ++tally_[clause].cases;
    tally_[clause].verdicts.insert(verdicts.begin(), verdicts.end());
    try {
      check_one_defect(recipe, expand(corpus_, recipe));
    } catch (const std::exception& error) {
      fault(recipe.id, error.what());
    }
  }

  /// The clause that a file breaks as the reference sees it, or "" where it is sound.
  static std::string broken_clause(const std::vector<uint8_t>& file, const std::string& mode) {
    program::Options options;
    options.mode = mode == "aten" ? program::Mode::aten : program::Mode::portable;
    program::Program program;
    program::Error error;
    if (program::parse(file.data(), file.size(), options, program, error)) return "";
    return error.clause;
  }

  /// Without its defect an invalid program is valid, or breaks the one rule that the defect has to
  /// be reported `before`; and of a defect that sets several fields none breaks another rule.
  void check_one_defect(const Recipe& recipe, const Expanded& expanded) {
    if (!recipe.text.contains("defect")) return;
    if (expanded.file == expanded.sound) fault(recipe.id, "has a defect that changes nothing");
    for (const auto& [mode, answer] : expanded.vectors.front().expect.items()) {
      if (answer.at("verdict") != "invalid") continue;
      const std::string other = broken_clause(expanded.sound, mode);
      const auto before = answer.value("before", std::string());
      if (other != before) {
        fault(recipe.id,
              before.empty()
                  ? text_of({"has a second defect in ", mode, " mode: ", other})
                  : text_of({"without its defect does not break ", before, " in ", mode, " mode"}));
        continue;
      }
      check_parts(recipe, mode, broken_clause(expanded.file, mode));
    }
  }

  void check_parts(const Recipe& recipe, const std::string& mode, const std::string& broken) {
    const json& defect = recipe.text.at("defect");
    const json fields = defect.value("set", json());
    if (!fields.is_object() || fields.size() < 2 || fields.contains("#repeat")) return;
    for (const auto& [field, value] : fields.items()) {
      const json part = {{"at", defect.at("at")}, {"set", {{field, value}}}};
      const std::string other = broken_clause(with_defect(corpus_, recipe, part), mode);
      if (other.empty() || other == broken) continue;
      fault(recipe.id,
            text_of({"has a second defect in ", mode, " mode: ", field, " alone breaks ", other}));
    }
  }

  /// An invalid case has one defect, and no other case has any.
  void check_defect(const Recipe& recipe, const std::set<std::string>& verdicts) {
    const bool defect = recipe.text.contains("defect");
    const bool sweep = recipe.text.contains("sweep");
    if (defect && sweep) fault(recipe.id, "has a defect and a sweep: two defects");
    if (sweep) return;
    if (verdicts.count("invalid") != 0 && !defect) {
      fault(recipe.id, "is invalid and names no defect");
    }
    if (verdicts.size() == 1 && verdicts.count("valid") != 0 && defect) {
      fault(recipe.id, "is valid and names a defect");
    }
  }

  void check_tally(const std::string& clause) {
    const Tally& tally = tally_[clause];
    if (tally.cases < cases_per_clause) {
      fault(clause, "has " + std::to_string(tally.cases) + " cases beside sweeps, fewer than 8");
    }
    for (const char* verdict : {"valid", "invalid"}) {
      if (tally.verdicts.count(verdict) == 0)
        fault(clause, std::string("has no ") + verdict + " case");
    }
  }

  std::filesystem::path folder_;
  Corpus corpus_;
  std::set<std::string> clauses_;
  json labels_;
  std::set<std::string> broken_;
  std::set<std::string> used_flags_;
  std::set<std::string> used_bases_;
  std::map<std::string, std::string> seen_;
  std::map<std::string, Tally> tally_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> lint(const std::string& corpus, const std::string& clauses) {
  return Linter(corpus, clauses).run();
}

}  // namespace aoti_cts::corpus
