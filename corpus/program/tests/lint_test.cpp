// The linter finds each fault that it is there for: every test spoils a copy of a small, faultless
// corpus in one way and wants exactly the one complaint.
//
//   ctest -R corpus.program.linter      "100% tests passed"
#include "lint.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "recipe.h"

namespace aoti_cts::corpus {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A copy of the real corpus, removed at the end.
class Copy {
 public:
  Copy() {
    std::string name = (fs::temp_directory_path() / "aoti-cts-lint-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    folder_ = name;
    fs::copy(AOTI_CTS_CORPUS, folder_, fs::copy_options::recursive);
  }
  ~Copy() { fs::remove_all(folder_); }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  json read(const std::string& file) const {
    std::ifstream in(folder_ / file);
    return json::parse(in);
  }
  void write(const std::string& file, const json& text) const {
    std::ofstream(folder_ / file) << text;
  }
  void write_text(const std::string& file, const std::string& text) const {
    std::ofstream(folder_ / file) << text;
  }
  std::vector<std::string> lint() const { return corpus::lint(folder_.string(), AOTI_CTS_CLAUSES); }

 private:
  fs::path folder_;
};

/// Lints a copy in which one case was changed.
template <class Change>
std::vector<std::string> lint_changed(const std::string& id, Change change) {
  const Copy copy;
  const std::string file = "cases/" + id + ".json";
  json recipe = copy.read(file);
  change(recipe);
  copy.write(file, recipe);
  return copy.lint();
}

void expect_one(const std::vector<std::string>& faults, const std::string& part) {
  ASSERT_EQ(faults.size(), 1u) << (faults.empty() ? "" : faults.back());
  EXPECT_NE(faults.front().find(part), std::string::npos) << faults.front();
}

TEST(Linter, TheCorpusHasNoFaults) { EXPECT_TRUE(Copy().lint().empty()); }

TEST(Linter, UndefinedFlag) {
  expect_one(lint_changed("device-type-7", [](json& r) { r["flags"].push_back("NoSuchFlag"); }),
             "device-type-7: labels.json defines no flag \"NoSuchFlag\"");
}

TEST(Linter, UnusedFlag) {
  const Copy copy;
  json labels = copy.read("labels.json");
  labels["flags"]["Lonely"] = {{"bug_type", "x"}, {"meaning", "x"}, {"effect", "x"}};
  copy.write("labels.json", labels);
  expect_one(copy.lint(), "no case has the flag Lonely");
}

TEST(Linter, StrayFile) {
  const Copy copy;
  copy.write_text("cases/device-type-8.jsn", "{}");
  expect_one(copy.lint(), "cases/device-type-8.jsn: is no .json file");
}

TEST(Linter, KeyTwice) {
  const Copy copy;
  std::string text = copy.read("cases/device-type-7.json").dump();
  text.insert(1, "\"base\": \"planned\", ");
  copy.write_text("cases/device-type-7.json", text);
  expect_one(copy.lint(), "cases/device-type-7.json: has the key \"base\" twice in one object");
}

TEST(Linter, DefectThatChangesNothing) {
  expect_one(lint_changed("device-type-7", [](json& r) { r["defect"]["set"] = 0; }),
             "device-type-7: has a defect that changes nothing");
}

TEST(Linter, UnknownClause) {
  expect_one(lint_changed("device-type-7", [](json& r) { r["clause"] = "PARSE.no-such"; }),
             "the clause table has no PARSE.no-such");
}

TEST(Linter, SameCaseTwice) {
  const Copy copy;
  json recipe = copy.read("cases/device-type-7.json");
  recipe["about"] = "The same case under another name, which nobody needs.";
  copy.write("cases/device-type-seven.json", recipe);
  expect_one(copy.lint(), "is the same case as device-type-7");
}

TEST(Linter, SameIdInReports) {
  const Copy copy;
  json recipe = copy.read("cases/device-type-7.json");
  recipe["defect"]["set"] = 9;
  copy.write("cases/device-type_7.json", recipe);
  expect_one(copy.lint(), "device-type_7: is no id");
}

TEST(Linter, TwoDefects) {
  // A recipe has room for one defect only; a sweep beside it would be the second.
  expect_one(lint_changed("device-type-7",
                          [](json& r) {
                            r["sweep"] = {{"truncate", "every byte"}};
                          }),
             "two defects");
}

// The second one hides among the valid edits, or in a part of the defect.
TEST(Linter, SecondDefect) {
  const std::string tensor = "execution_plan[0].values[0].tensor";
  const auto hidden = lint_changed("device-type-7", [&](json& r) {
    r["with"].push_back({{"at", tensor + ".storage_offset"}, {"set", 1}});
  });
  ASSERT_EQ(hidden.size(), 2u);
  EXPECT_EQ(hidden[0], "device-type-7: has a second defect in aten mode: PARSE.storage-offset");
  EXPECT_EQ(hidden[1], "device-type-7: has a second defect in portable mode: PARSE.storage-offset");
  const auto beside = lint_changed("mismatch-cuda-tensor-in-host-buffer",
                                   [](json& r) { r["defect"]["set"]["location"] = 9; });
  ASSERT_EQ(beside.size(), 2u);
  EXPECT_NE(beside[0].find("device_type alone breaks PARSE.buffer-agrees"), std::string::npos);
}

TEST(Linter, DefectBeforeARuleThatIsKept) {
  expect_one(lint_changed("device-type-7",
                          [](json& r) {
                            json answer = r["expect"]["both"];
                            r["expect"] = {{"portable", answer}, {"aten", answer}};
                            r["expect"]["aten"]["before"] = "PARSE.unbound";
                          }),
             "device-type-7: without its defect does not break PARSE.unbound in aten mode");
}

TEST(Linter, InvalidWithoutDefect) {
  expect_one(lint_changed("device-type-7",
                          [](json& r) {
                            r["with"] = json::array({r["defect"]});
                            r.erase("defect");
                          }),
             "is invalid and names no defect");
}

TEST(Linter, ValidWithDefect) {
  expect_one(lint_changed("memory-second-buffer",
                          [](json& r) {
                            r["defect"] = r["with"].back();
                            r["with"].erase(r["with"].size() - 1);
                          }),
             "is valid and names a defect");
}

TEST(Linter, UnknownKey) {
  expect_one(lint_changed("device-type-7", [](json& r) { r["note"] = "the schema is closed"; }),
             "breaks the schema's rule");
}

TEST(Linter, PlaceThatIsNowhere) {
  expect_one(lint_changed("device-type-7",
                          [](json& r) {
                            r["defect"] = {{"at", "#nowhere"}, {"write", 1}};
                          }),
             "names no place in the file");
}

// Nothing is cut to what fits, and a mistyped place is no new one.
TEST(Linter, EditThatCannotBe) {
  const std::string plan = "execution_plan[0]";
  const std::pair<json, const char*> rows[] = {
      {{{"at", plan + ".values[7].tensor"}, {"set", 1}}, "has no 7"},
      {{{"at", plan + ".nofield"}, {"set", 1}}, "the schema has no field \"nofield\""},
      {{{"at", "execution_plan[0"}, {"set", 1}}, "is no path like"},
      {{{"at", plan + ".values[0].tensor.scalar_type"}, {"set", 256}}, "256 does not fit"},
      {{{"at", plan + ".inputs"}, {"set", {{"#repeat", 0}, {"times", -1}}}}, "\"times\" from 0"},
      {{{"at", "#root"}, {"write", int64_t{1} << 32}}, "4294967296 does not fit 4 bytes"},
      {{{"at", "#identifier"}, {"write", "ET"}}, "does not fill its place"},
      {{{"at", "#40000"}, {"set", 1}}, "#40000 is no field"},
      {json::object({{"truncate", 100000}}), "100000 of a file of"},
  };
  const Corpus corpus = read_corpus(AOTI_CTS_CORPUS);
  const auto sound = std::find_if(corpus.recipes.begin(), corpus.recipes.end(),
                                  [](const Recipe& r) { return r.id == "device-type-7"; });
  ASSERT_NE(sound, corpus.recipes.end());
  for (const auto& [defect, complaint] : rows) {
    Recipe recipe = *sound;
    recipe.text["defect"] = defect;
    try {
      expand(corpus, recipe);
      ADD_FAILURE() << defect;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(complaint), std::string::npos) << error.what();
    }
  }
}

TEST(Linter, ClauseWithTooFewCases) {
  const Copy copy;
  for (const Recipe& recipe : read_corpus(AOTI_CTS_CORPUS).recipes) {
    if (recipe.text.at("clause") == "PARSE.storage-offset" &&
        recipe.id.find("minus") == std::string::npos) {
      json text = recipe.text;
      text["clause"] = "PARSE.compat";
      copy.write("cases/" + recipe.id + ".json", text);
    }
  }
  const auto faults = copy.lint();
  ASSERT_FALSE(faults.empty());
  EXPECT_NE(faults.front().find("PARSE.storage-offset: has "), std::string::npos) << faults.front();
}

}  // namespace
}  // namespace aoti_cts::corpus
