// The reference parser against every vector of the corpus: verdict, error code, clause, path on the
// wire and devices, in both modes, with FlatBuffers' verifier and with our own walk.
//
//   ctest -R program.vectors      "100% tests passed"
#include <gtest/gtest.h>

#include <set>

#include "aoti_program/program.h"
#include "guarded.h"
#include "recipe.h"

namespace aoti_cts::program {
namespace {

using nlohmann::json;

struct Outcome {
  bool accepted = false;
  Error error;
  Program program;
};

Outcome parse_guarded(const std::vector<uint8_t>& bytes, Mode mode, bool verifier) {
  const testing::Guarded guarded(bytes);
  Options options;
  options.mode = mode;
  options.flatbuffers_verifier = verifier;
  Outcome outcome;
  outcome.accepted = parse(guarded.data(), bytes.size(), options, outcome.program, outcome.error);
  return outcome;
}

bool device_fits(const std::string& want, Device have, Mode mode) {
  const size_t colon = want.find(':');
  if (have.type != (want.substr(0, colon) == "cpu" ? 0 : 1)) return false;
  if (colon == std::string::npos) return mode == Mode::portable || have.index == -1;
  return std::stoi(want.substr(colon + 1)) == have.index;
}

void expect_devices(const json& want, const Outcome& outcome, Mode mode) {
  ASSERT_EQ(want.size(), outcome.program.tensors.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_TRUE(device_fits(want[i], outcome.program.tensors[i].device, mode))
        << "have " << to_string(outcome.program.tensors[i].device) << ", want " << want[i];
  }
}

void expect_buffers(const json& want, const Outcome& outcome, Mode mode) {
  ASSERT_EQ(want.size(), outcome.program.buffers.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_TRUE(device_fits(want[i], outcome.program.buffers[i].device, mode))
        << "have " << to_string(outcome.program.buffers[i].device) << ", want " << want[i];
  }
}

/// The words' sizes, strides and types against what the reference makes of the bytes.
void expect_shown(const json& answer, const Outcome& outcome) {
  const Program& program = outcome.program;
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    const Tensor& tensor = program.tensors[i];
    const auto want = [&](const char* key) {
      return answer.contains(key) ? answer.at(key).at(i) : json();
    };
    if (const json type = want("scalar_types"); !type.is_null()) {
      EXPECT_EQ(type, static_cast<int>(tensor.scalar_type));
    }
    if (const json sizes = want("sizes"); !sizes.is_null()) {
      const int32_t* const first = program.sizes_of(tensor);
      EXPECT_EQ(sizes, json(std::vector<int32_t>(first, first + tensor.rank)));
    }
    if (const json strides = want("strides"); !strides.is_null()) {
      ASSERT_EQ(strides.size(), tensor.rank);
      for (size_t d = 0; d < tensor.rank; ++d) {
        if (strides[d].is_null()) continue;
        EXPECT_EQ(strides[d], program.strides_of(tensor)[d]);
      }
    }
  }
}

void expect_answer(const json& recipe, const json& answer, const Outcome& outcome, Mode mode) {
  const auto verdict = answer.at("verdict").get<std::string>();
  if (verdict == "acceptable") {
    const auto reference = answer.at("reference").get<std::string>();
    if (reference == "either") return;
    EXPECT_EQ(outcome.accepted, reference == "accepts") << outcome.error.text();
    if (outcome.accepted && answer.contains("devices")) {
      expect_devices(answer.at("devices"), outcome, mode);
    }
    return;
  }
  ASSERT_EQ(outcome.accepted, verdict == "valid") << outcome.error.text();
  if (verdict == "valid") {
    expect_devices(answer.at("devices"), outcome, mode);
    expect_shown(answer, outcome);
    if (answer.contains("buffers")) expect_buffers(answer.at("buffers"), outcome, mode);
    return;
  }
  const auto error = answer.at("error").get<std::string>();
  if (error != "any") {
    EXPECT_EQ(to_string(outcome.error.code), error) << outcome.error.text();
  }
  // A file cut short may fail at whatever field ran out; which one depends on the cut.
  if (recipe.contains("sweep") && recipe.at("sweep").contains("truncate")) return;
  EXPECT_EQ(recipe.value("rule", recipe.at("clause").get<std::string>()), outcome.error.clause)
      << outcome.error.text();
  EXPECT_EQ(answer.at("path").get<std::string>(), outcome.error.path) << outcome.error.text();
}

void expect_same(const Outcome& a, const Outcome& b) {
  ASSERT_EQ(a.accepted, b.accepted) << a.error.text() << b.error.text();
  EXPECT_EQ(a.error.text(), b.error.text());
  EXPECT_EQ(a.program.tensors.size(), b.program.tensors.size());
}

TEST(Vectors, ReferenceKeepsThem) {
  const corpus::Corpus corpus = corpus::read_corpus(AOTI_CTS_CORPUS);
  size_t judged = 0;
  for (const corpus::Recipe& recipe : corpus.recipes) {
    const corpus::Expanded expanded = corpus::expand(corpus, recipe);
    for (const corpus::Vector& vector : expanded.vectors) {
      const std::vector<uint8_t> bytes = corpus::bytes_of(expanded, vector);
      for (const auto& [name, answer] : vector.expect.items()) {
        SCOPED_TRACE(vector.id + " " + name);
        const Mode mode = name == "aten" ? Mode::aten : Mode::portable;
        const Outcome outcome = parse_guarded(bytes, mode, true);
        expect_answer(recipe.text, answer, outcome, mode);
        expect_same(outcome, parse_guarded(bytes, mode, false));
        ++judged;
      }
    }
  }
  EXPECT_GE(judged, 1000u);
}

// Nothing of a program is left after an error, and the storage serves the next one.
TEST(Vectors, ErrorLeavesNothing) {
  const corpus::Corpus corpus = corpus::read_corpus(AOTI_CTS_CORPUS);
  Program reused;
  for (const corpus::Recipe& recipe : corpus.recipes) {
    const corpus::Expanded expanded = corpus::expand(corpus, recipe);
    Error error;
    const bool ok = parse(expanded.file.data(), expanded.file.size(), Options{}, reused, error);
    EXPECT_EQ(ok, error.path.empty()) << recipe.id;
    if (!ok) {
      EXPECT_TRUE(reused.tensors.empty() && reused.plans.empty()) << recipe.id;
    }
    const Outcome fresh = parse_guarded(expanded.file, Mode::portable, true);
    ASSERT_EQ(ok, fresh.accepted) << recipe.id;
    EXPECT_EQ(reused.tensors.size(), fresh.program.tensors.size()) << recipe.id;
    EXPECT_EQ(reused.strides, fresh.program.strides) << recipe.id;
  }
}

}  // namespace
}  // namespace aoti_cts::program
