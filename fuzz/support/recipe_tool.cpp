// A finding of program_parser as a recipe of the corpus; ./dev fuzz calls it after a crash.
//
//   build/fuzz/fuzz/fuzz_recipe portable|aten FILE.pte      the recipe on standard output
//
// Every try is a process of its own, as the oracle ends its process. Exit 1: FILE shows no finding,
// or there are no words for it.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/candidate/written.h"
#include "support/program/oracle.h"

// Nothing is mutated here.
extern "C" size_t LLVMFuzzerMutate(uint8_t* /*data*/, size_t size, size_t /*max_size*/) {
  return size;
}

namespace {

using namespace aoti_cts::fuzz;
using aoti_cts::program::Mode;

/// The rule of the finding that a file shows, or nothing; a crash is a rule too.
std::string rule_of(const std::vector<uint8_t>& file, Mode mode) {
  std::array<int, 2> ends;
  if (pipe(ends.data()) != 0) return "";
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    examine(file.data(), file.size(), mode);
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> part;
  for (ssize_t got = 0; (got = read(ends[0], part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status == 0) return "";
  const size_t at = text.find("finding: ");
  if (at == std::string::npos) return "crash";
  const size_t begin = at + 9;
  return text.substr(begin, text.find(':', begin) - begin);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode_name = argc == 3 ? argv[1] : "";
  if (mode_name != "portable" && mode_name != "aten") {
    std::fprintf(stderr, "usage: fuzz_recipe portable|aten FILE.pte\n");
    return 2;
  }
  const Mode mode = mode_name == "aten" ? Mode::aten : Mode::portable;
  std::ifstream in(argv[2], std::ios::binary);
  const std::vector<uint8_t> file{std::istreambuf_iterator<char>(in), {}};
  const std::string rule = rule_of(file, mode);
  if (rule.empty()) {
    std::fprintf(stderr, "%s shows no finding\n", argv[2]);
    return 1;
  }
  Reference reference;
  if (rule != "crash") read_reference(file.data(), file.size(), mode, reference);
  const std::string clause = rule == "crash" ? "PARSE.verifier" : reference.rule();
  const Recipe recipe =
      recipe_of(file, {rule, clause, "the parser against its second checker"}, mode,
                [&](const std::vector<uint8_t>& other) { return rule_of(other, mode) == rule; });
  std::fputs(recipe.text.c_str(), stdout);
  std::fprintf(stderr, "%s: %s\n", rule.c_str(), recipe.how.c_str());
  return recipe.text.empty() ? 1 : 0;
}
