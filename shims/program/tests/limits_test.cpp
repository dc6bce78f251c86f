// Limits and errors of the reference parser: each limit is named by the error that it gives, from
// both sides; an error says path, value, clause and code; and time is bounded by the program's size
// also where tables are shared.
//
//   ctest -R program.limits      "100% tests passed"
#include <gtest/gtest.h>

#include "aoti_program/program.h"
#include "recipe.h"

namespace aoti_cts::program {
namespace {

using nlohmann::json;

/// A file at an aligned address.
class File {
 public:
  explicit File(const std::vector<uint8_t>& bytes) : size_(bytes.size()), words_(size_ / 8 + 1) {
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<uint8_t*>(words_.data()));
  }
  bool parse(const Options& options, Program& program, Error& error) const {
    return program::parse(words_.data(), size_, options, program, error);
  }

 private:
  size_t size_;
  std::vector<uint64_t> words_;
};

File base(const std::string& name) {
  const json text = corpus::read_corpus(AOTI_CTS_CORPUS).bases.at(name);
  return File(corpus::write_program(text.at("program"), text.value("file", json::object())).bytes);
}

struct Row {
  const char* name;
  const char* base;
  void (*set)(Limits& limits, uint32_t value);
  uint32_t enough;  ///< the smallest value with which the base is accepted
};

const Row rows[] = {
    {"execution_plans", "mixed", [](Limits& l, uint32_t v) { l.execution_plans = v; }, 1},
    {"values", "mixed", [](Limits& l, uint32_t v) { l.values = v; }, 13},
    {"buffers", "mixed", [](Limits& l, uint32_t v) { l.buffers = v; }, 3},
    {"segments", "constant", [](Limits& l, uint32_t v) { l.segments = v; }, 1},
    {"constants", "constant", [](Limits& l, uint32_t v) { l.constants = v; }, 3},
    {"name_bytes", "constant", [](Limits& l, uint32_t v) { l.name_bytes = v; }, 7},
    {"tables", "mixed", [](Limits& l, uint32_t v) { l.tables = v; }, 38},
    {"program_bytes", "planned", [](Limits& l, uint32_t v) { l.program_bytes = v; }, 368},
};

class Limit : public ::testing::TestWithParam<Row> {};

// With either check of the structure, and with the same words: where FlatBuffers' verifier says no,
// our walk says why.
TEST_P(Limit, IsNamedFromBothSides) {
  const Row& row = GetParam();
  const File file = base(row.base);
  for (const bool verifier : {true, false}) {
    Options options;
    options.flatbuffers_verifier = verifier;
    Program program;
    Error error;
    row.set(options.limits, row.enough);
    EXPECT_TRUE(file.parse(options, program, error)) << error.text();
    row.set(options.limits, row.enough - 1);
    ASSERT_FALSE(file.parse(options, program, error));
    EXPECT_EQ(error.code, Code::NotSupported);
    EXPECT_NE(error.want.find(std::string("`") + row.name + "`"), std::string::npos)
        << error.text();
    EXPECT_TRUE(program.tensors.empty() && program.plans.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(, Limit, ::testing::ValuesIn(rows),
                         [](const auto& row) { return std::string(row.param.name); });

// The rank is the contract's and has no knob.
TEST(Limits, Rank) {
  for (const uint32_t rank : {Limits::rank, Limits::rank + 1}) {
    json program = corpus::read_corpus(AOTI_CTS_CORPUS).bases.at("unplanned").at("program");
    json& tensor = program["execution_plan"][0]["values"][0]["tensor"];
    tensor["sizes"] = std::vector<int32_t>(rank, 1);
    tensor["dim_order"] = json::array();
    for (uint32_t i = 0; i < rank; ++i) tensor["dim_order"].push_back(i);
    const File file(corpus::write_program(program, json::object()).bytes);
    Program out;
    Error error;
    ASSERT_EQ(file.parse({}, out, error), rank == Limits::rank) << error.text();
    if (rank == Limits::rank) continue;
    EXPECT_NE(error.want.find("`rank`"), std::string::npos) << error.text();
  }
}

TEST(Errors, SayEverythingInOneLine) {
  json program = corpus::read_corpus(AOTI_CTS_CORPUS).bases.at("mixed").at("program");
  program["execution_plan"][0]["values"][1]["tensor"]["extra_tensor_info"]["device_type"] = 7;
  const File file(corpus::write_program(program, json::object()).bytes);
  Program out;
  Error error;
  ASSERT_FALSE(file.parse({}, out, error));
  EXPECT_EQ(error.path, "execution_plan[0].values[1].tensor.extra_tensor_info.device_type");
  EXPECT_EQ(error.value, "7");
  EXPECT_STREQ(error.clause, "PARSE.device-type");
  EXPECT_EQ(error.code, Code::InvalidProgram);
  EXPECT_EQ(
      error.text(),
      "execution_plan[0].values[1].tensor.extra_tensor_info.device_type: 7 must be CPU (0) or "
      "CUDA (1) [PARSE.device-type, InvalidProgram 0x23]");
}

TEST(Errors, MisalignedFileIsTheCallersFault) {
  const std::vector<uint64_t> words(64);
  Program program;
  Error error;
  const char* const odd = reinterpret_cast<const char*>(words.data()) + 4;
  ASSERT_FALSE(parse(odd, 400, {}, program, error));
  EXPECT_EQ(error.code, Code::InvalidArgument);
}

}  // namespace
}  // namespace aoti_cts::program
