// How many inputs a second a target takes, without an engine: for bench-fuzz.
//
//   build/asan/fuzz/fuzz_speed_TARGET FILE|FOLDER...      "N inputs/s"
//
// The same inputs for every target: the files and sixteen mutations of each, over and over for two
// seconds of processor time.
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed);
extern "C" size_t LLVMFuzzerMutate(uint8_t* /*data*/, size_t size, size_t /*max_size*/) {
  return size;
}

int main(int argc, char** argv) {
  constexpr size_t room = 4096;
  constexpr double seconds = 2;
  std::vector<std::vector<uint8_t>> inputs;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
      inputs.push_back(bytes);
      for (unsigned seed = 0; seed < 16; ++seed) {
        std::vector<uint8_t> other = bytes;
        other.resize(bytes.size() + room);
        other.resize(LLVMFuzzerCustomMutator(other.data(), bytes.size(), other.size(), seed));
        inputs.push_back(std::vector<uint8_t>(other.begin(), other.end()));
      }
    }
  }
  if (inputs.empty()) {
    std::fprintf(stderr, "no input was given\n");
    return 2;
  }
  const std::clock_t begin = std::clock();
  double used = 0;
  size_t runs = 0;
  while (used < seconds) {
    for (const auto& input : inputs) LLVMFuzzerTestOneInput(input.data(), input.size());
    runs += inputs.size();
    used = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  }
  std::printf("%.0f inputs/s\n", static_cast<double>(runs) / used);
  return 0;
}
