// The main of a fuzz target that is built without libFuzzer: runs every file it is given, and every
// file of every folder, and some mutations of each where the target has a mutator: always the same
// ones, so that each test run tries damaged files too.
//
//   build/dev/fuzz/fuzz_TARGET FILE|FOLDER...
//
// Success prints how many inputs were run. No input at all is a failure; so is one that cannot be
// read. A finding ends the process, as it does under libFuzzer; the last line on stderr names the
// input and the mutation.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern "C" __attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                                                size_t max_size, unsigned seed);

// What libFuzzer offers to a mutator, as plain as can be: one byte.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t) {
  static uint32_t state = 1;  // always the same bytes
  state = state * 1664525 + 1013904223;
  if (size != 0) data[(state >> 8) % size] = static_cast<uint8_t>(state >> 24);
  return size;
}

namespace {

namespace fs = std::filesystem;

constexpr unsigned kMutations = 256;  // of each file
size_t inputs_run = 0;

// A copy of exactly that size, so that AddressSanitizer sees a read behind its end.
void run_copy(const std::vector<uint8_t>& bytes) {
  const std::vector<uint8_t> input(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(input.data(), input.size());
  ++inputs_run;
}

bool run(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file && !file.eof()) {
    std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
    return false;
  }
  std::fprintf(stderr, "running %s (%zu bytes)\n", path.c_str(), bytes.size());
  const std::vector<uint8_t> input(bytes.begin(), bytes.end());
  run_copy(input);
  if (LLVMFuzzerCustomMutator == nullptr) return true;
  for (unsigned seed = 0; seed < kMutations; ++seed) {
    std::vector<uint8_t> mutated = input;
    mutated.resize(LLVMFuzzerCustomMutator(mutated.data(), mutated.size(), mutated.size(), seed));
    std::fprintf(stderr, "running %s, mutation %u\n", path.c_str(), seed);
    run_copy(mutated);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<fs::path> inputs;
  for (int i = 1; i < argc; ++i) {
    if (!fs::exists(argv[i])) {
      std::fprintf(stderr, "%s: no such file or folder\n", argv[i]);
      return 2;
    }
    if (!fs::is_directory(argv[i])) {
      inputs.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
      if (entry.is_regular_file()) inputs.push_back(entry.path());
    }
  }
  std::sort(inputs.begin(), inputs.end());
  for (const fs::path& input : inputs) {
    if (!run(input)) return 1;
  }
  if (inputs.empty()) std::fprintf(stderr, "no input was run\n");
  std::printf("%zu inputs were run, from %zu files\n", inputs_run, inputs.size());
  return inputs.empty() ? 1 : 0;
}
