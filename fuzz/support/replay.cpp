// The main of a fuzz target that is built without libFuzzer: runs every file it is given, and every
// file of every folder. Of those in folders, where the target has a mutator, some mutations each
// and some crosses with the file before: always the same ones, so that each test run tries damaged
// files too. A file that is named is run alone.
//
//   build/dev/fuzz/fuzz_TARGET FILE|FOLDER...
//   build/release/fuzz/fuzz_TARGET -runs=N [-seed=S] FILE|FOLDER...
//
// Success prints how many inputs were run. No input at all is a failure; so is one that cannot be
// read. A finding ends the process, as it does under libFuzzer; the last line on stderr names the
// input and the mutation.
//
// With -runs it is a fuzzer of its own, without coverage and without any tool: mutations of
// mutations, the same ones for the same seed. Where mutations know the format that is worth
// something, and it is many times faster. Its finding is left in the file crash-SEED-RUN.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/hash.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern "C" __attribute__((weak)) int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" __attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                                                size_t max_size, unsigned seed);
extern "C" __attribute__((weak)) size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1,
                                                                  size_t size1,
                                                                  const uint8_t* data2,
                                                                  size_t size2, uint8_t* out,
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

constexpr unsigned kMutations = 64;  // of each file
constexpr unsigned kCrosses = 4;
constexpr size_t kRoom = 4096;  // for what they add
size_t inputs_run = 0;

// A copy of exactly that size, so that AddressSanitizer sees a read behind its end.
void run_copy(const std::vector<uint8_t>& bytes) {
  const std::vector<uint8_t> input(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(input.data(), input.size());
  ++inputs_run;
}

void run_mutations(const fs::path& path, std::vector<uint8_t> input) {
  static std::vector<uint8_t> before;
  std::vector<uint8_t> mutated;
  for (unsigned seed = 0; seed < kMutations; ++seed) {
    mutated = input;
    mutated.resize(input.size() + kRoom);
    mutated.resize(LLVMFuzzerCustomMutator(mutated.data(), input.size(), mutated.size(), seed));
    std::fprintf(stderr, "running %s, mutation %u\n", path.c_str(), seed);
    run_copy(mutated);
  }
  for (unsigned seed = 0; seed < kCrosses && LLVMFuzzerCustomCrossOver != nullptr; ++seed) {
    mutated.resize(input.size() + before.size() + kRoom);
    mutated.resize(LLVMFuzzerCustomCrossOver(input.data(), input.size(), before.data(),
                                             before.size(), mutated.data(), mutated.size(), seed));
    std::fprintf(stderr, "running %s, cross %u\n", path.c_str(), seed);
    run_copy(mutated);
  }
  before = std::move(input);
}

bool read(const fs::path& path, std::vector<uint8_t>& bytes) {
  std::ifstream file(path, std::ios::binary);
  bytes.assign(std::istreambuf_iterator<char>(file), {});
  if (file || file.eof()) return true;
  std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
  return false;
}

bool run(const fs::path& path, bool alone) {
  std::vector<uint8_t> bytes;
  if (!read(path, bytes)) return false;
  std::fprintf(stderr, "running %s (%zu bytes)\n", path.c_str(), bytes.size());
  run_copy(bytes);
  if (LLVMFuzzerCustomMutator != nullptr && !alone) run_mutations(path, std::move(bytes));
  return true;
}

// What the handler needs to save the input that a finding is about.
const uint8_t* current_data = nullptr;
size_t current_size = 0;
char crash_name[64] = "";

void save_current(int number) {
  const int file = open(crash_name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0 && write(file, current_data, current_size) >= 0) {
    const char text[] = "input saved as ";
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    (void)!write(STDERR_FILENO, crash_name, std::char_traits<char>::length(crash_name));
    (void)!write(STDERR_FILENO, "\n", 1);
  }
  std::signal(number, SIG_DFL);
  std::raise(number);
}

size_t cross_or_mutate(std::vector<uint8_t>& input, const std::vector<uint8_t>& other,
                       aoti_cts::fuzz::Random& random) {
  const auto seed = static_cast<unsigned>(random.next());
  const size_t size = input.size();
  if (LLVMFuzzerCustomCrossOver != nullptr && random.one_in(8)) {
    std::vector<uint8_t> out(size + other.size() + kRoom);
    const size_t crossed = LLVMFuzzerCustomCrossOver(input.data(), size, other.data(), other.size(),
                                                     out.data(), out.size(), seed);
    if (crossed != 0) {
      input = std::move(out);
      return crossed;
    }
  }
  input.resize(size + kRoom);
  if (LLVMFuzzerCustomMutator == nullptr) return LLVMFuzzerMutate(input.data(), size, size);
  return LLVMFuzzerCustomMutator(input.data(), size, input.size(), seed);
}

// Mutations of the seeds and of some of what came of them.
int fuzz(const std::vector<fs::path>& paths, uint64_t runs, uint64_t seed) {
  std::vector<std::vector<uint8_t>> pool;
  for (const fs::path& path : paths) {
    if (!read(path, pool.emplace_back())) return 1;
    std::fprintf(stderr, "running %s\n", path.c_str());
    run_copy(pool.back());
  }
  if (pool.empty()) {
    std::fprintf(stderr, "no input was run\n");
    return 1;
  }
  const size_t seeds = pool.size();
  pool.resize(seeds + 256, pool.front());
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE}) {
    std::signal(number, save_current);
  }
  aoti_cts::fuzz::Random random(seed);
  std::vector<uint8_t> input;
  for (uint64_t run = 0; run < runs; ++run) {
    // What came of mutations drifts away from what is valid, so every second start is a seed.
    input = pool[random.below(random.one_in(2) ? seeds : pool.size())];
    for (size_t n = 1 + random.below(3); n-- > 0;) {
      input.resize(cross_or_mutate(input, pool[random.below(pool.size())], random));
    }
    std::snprintf(crash_name, sizeof(crash_name), "crash-%llu-%llu",
                  static_cast<unsigned long long>(seed), static_cast<unsigned long long>(run));
    const std::vector<uint8_t> exact(input.begin(), input.end());
    current_data = exact.data();
    current_size = exact.size();
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
    ++inputs_run;
    if (random.one_in(16)) pool[seeds + random.below(256)] = input;
  }
  std::printf("%zu inputs were run, from %zu files\n", inputs_run, paths.size());
  return 0;
}

uint64_t number_behind(const char* text, const char* option, uint64_t otherwise) {
  const std::string start = option;
  if (std::string(text).rfind(start, 0) != 0) return otherwise;
  const std::string number = text + start.size();
  if (number.empty() || number.size() > 18 ||
      number.find_first_not_of("0123456789") != std::string::npos) {
    std::fprintf(stderr, "%s: %s is no whole number\n", text, number.c_str());
    std::exit(2);
  }
  return std::stoull(number);
}

bool ended = false;

// A target or what it calls may end the process and say that all is well.
void not_ended(int status, void* /*unused*/) {
  if (ended || status != 0) return;
  std::fprintf(stderr, "exit(0) was called inside the target\n");
  std::fflush(nullptr);
  _exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (LLVMFuzzerInitialize != nullptr) LLVMFuzzerInitialize(&argc, &argv);
  on_exit(not_ended, nullptr);
  std::vector<fs::path> inputs;
  std::set<fs::path> alone;
  uint64_t runs = 0;
  uint64_t seed = 1;
  for (int i = 1; i < argc; ++i) {
    runs = number_behind(argv[i], "-runs=", runs);
    seed = number_behind(argv[i], "-seed=", seed);
    if (argv[i][0] == '-') continue;  // these, or the target's
    if (!fs::exists(argv[i])) {
      std::fprintf(stderr, "%s: no such file or folder\n", argv[i]);
      return 2;
    }
    if (!fs::is_directory(argv[i])) {
      alone.insert(inputs.emplace_back(argv[i]));
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
      if (entry.is_regular_file()) inputs.push_back(entry.path());
    }
  }
  std::sort(inputs.begin(), inputs.end());
  if (runs != 0) {
    const int code = fuzz(inputs, runs, seed);
    ended = true;
    return code;
  }
  for (const fs::path& input : inputs) {
    if (!run(input, alone.count(input) != 0)) return 1;
  }
  ended = true;
  if (inputs.empty()) std::fprintf(stderr, "no input was run\n");
  std::printf("%zu inputs were run, from %zu files\n", inputs_run, inputs.size());
  return inputs.empty() ? 1 : 0;
}
