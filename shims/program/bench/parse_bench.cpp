// How long it takes to read programs of 1,000 to 100,000 tensors: our parser in both modes and with
// either check of the structure, FlatBuffers' verifier alone, and ExecuTorch's Program::load with
// load_method, in one run. Every side reuses its storage.
//
//   ./dev bench parse
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "aoti_program/portable.h"
#include "program_generated.h"

namespace {

using namespace aoti_cts::program;

/// As a writer makes it: shared vtables, planned tensors of three dimensions, every tenth on CUDA.
std::vector<uint64_t> make_program(int tensors, size_t& size) {
  flatbuffers::FlatBufferBuilder b;
  std::vector<flatbuffers::Offset<wire::EValue>> values;
  std::vector<int32_t> inputs = {0};
  for (int i = 0; i < tensors; ++i) {
    const bool cuda = i % 10 == 9;
    const auto sizes = b.CreateVector(std::vector<int32_t>{2, 3, 4});
    const auto order = b.CreateVector(std::vector<uint8_t>{0, 1, 2});
    const auto place =
        wire::CreateAllocationDetails(b, cuda ? 2 : 1, static_cast<uint32_t>(i) * 96);
    flatbuffers::Offset<wire::ExtraTensorInfo> extra;
    if (cuda) {
      extra = wire::CreateExtraTensorInfo(b, 0, 0, wire::TensorDataLocation_SEGMENT,
                                          wire::DeviceType_CUDA, 0);
    }
    const auto tensor = wire::CreateTensor(b, wire::ScalarType_FLOAT, 0, sizes, order, false, 0,
                                           place, 0, wire::TensorShapeDynamism_STATIC, extra);
    values.push_back(wire::CreateEValue(b, wire::KernelTypes_Tensor, tensor.Union()));
  }
  const auto device = wire::CreateNonConstBufferDevice(b, 2, wire::DeviceType_CUDA, 0);
  const std::vector<int64_t> buffers = {0, 96 * tensors, 96 * tensors};
  const auto name = b.CreateString("forward");
  const auto chain = wire::CreateChain(
      b, b.CreateVector(std::vector<int32_t>{}), b.CreateVector(std::vector<int32_t>{}),
      b.CreateVector(std::vector<flatbuffers::Offset<wire::Instruction>>{}));
  const auto plan = wire::CreateExecutionPlan(
      b, name, 0, b.CreateVector(values), b.CreateVector(inputs), b.CreateVector(inputs),
      b.CreateVector(std::vector{chain}),
      b.CreateVector(std::vector<flatbuffers::Offset<wire::Operator>>{}),
      b.CreateVector(std::vector<flatbuffers::Offset<wire::BackendDelegate>>{}),
      b.CreateVector(buffers), b.CreateVector(std::vector{device}));
  const auto constants =
      wire::CreateSubsegmentOffsets(b, 0, b.CreateVector(std::vector<uint64_t>{0}));
  wire::FinishProgramBuffer(
      b, wire::CreateProgram(b, 0, b.CreateVector(std::vector{plan}), 0, 0, 0, constants));
  size = b.GetSize();
  std::vector<uint64_t> words(size / 8 + 1);
  std::memcpy(words.data(), b.GetBufferPointer(), size);
  return words;
}

struct File {
  explicit File(int tensors) : words(make_program(tensors, size)) {}
  size_t size = 0;
  std::vector<uint64_t> words;
};

/// The program with as many tensors as the benchmark's argument says.
const File& file(const benchmark::State& state) {
  static std::map<int64_t, File> files;
  return files.try_emplace(state.range(0), static_cast<int>(state.range(0))).first->second;
}

void verifier(benchmark::State& state) {
  const File& program = file(state);
  for ([[maybe_unused]] auto step : state) {
    flatbuffers::Verifier check(reinterpret_cast<const uint8_t*>(program.words.data()),
                                program.size);
    if (!wire::VerifyProgramBuffer(check)) return state.SkipWithError("not verified");
  }
  state.counters["file_bytes"] = static_cast<double>(program.size);
}

void parse_program(benchmark::State& state, Mode mode, bool with_verifier, bool build) {
  const File& bytes = file(state);
  Options options;
  options.mode = mode;
  options.flatbuffers_verifier = with_verifier;
  options.limits.values = 1'000'000;  // the largest program is beyond what a caller gets unasked
  Program program;
  Error error;
  const Memory memory{bytes.words.data(), std::vector<void*>(2), {}};
  std::vector<TensorView> views;
  for ([[maybe_unused]] auto step : state) {
    if (!parse(bytes.words.data(), bytes.size, options, program, error)) {
      return state.SkipWithError(error.text().c_str());
    }
    if (build) build_portable(program, memory, views);
    benchmark::DoNotOptimize(program.tensors.data());
  }
  if (program.tensors.size() != static_cast<size_t>(state.range(0))) {
    state.SkipWithError("not all tensors were read");
  }
}

using LoadOnce = int (*)(const void* data, size_t size, int verify);

void executorch(benchmark::State& state, LoadOnce load, int verify) {
  const File& program = file(state);
  for ([[maybe_unused]] auto step : state) {
    const int error = load(program.words.data(), program.size, verify);
    if (error != 0) return state.SkipWithError(("error " + std::to_string(error)).c_str());
  }
}

template <class... Args>
void add(const char* name, Args... args) {
  benchmark::RegisterBenchmark(name, args...)->RangeMultiplier(10)->Range(1'000, 100'000);
}

void add_executorch(const char* path) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void* const entry = library == nullptr ? nullptr : dlsym(library, "aoti_cts_bench_load");
  if (entry == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(3);
  }
  const auto load = reinterpret_cast<LoadOnce>(entry);
  add("executorch_minimal", executorch, load, 0);
  add("executorch_verified", executorch, load, 1);
}

}  // namespace

int main(int argc, char** argv) {
  add("flatbuffers_verifier", verifier);
  add("parse_portable", parse_program, Mode::portable, true, false);
  add("parse_portable_and_build", parse_program, Mode::portable, true, true);
  add("parse_portable_own_walk", parse_program, Mode::portable, false, false);
  add("parse_aten", parse_program, Mode::aten, true, false);
  if (const char* path = std::getenv("AOTI_CTS_BENCH_EXECUTORCH")) add_executorch(path);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
