// Starts aoti-cts-probe and collects its answers; see probe.h.
#include "symbols/probe.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <sstream>
#include <system_error>

#include "symbols/command.h"
#include "symbols/probe/answers.h"

namespace aoti_cts::symbols {

namespace {

// There are as many lines as symbols, and few files.
std::string resolved(const std::string& file) {
  static std::map<std::string, std::string> known;
  const auto [row, is_new] = known.try_emplace(file);
  if (is_new) {
    std::error_code error;
    const auto path = std::filesystem::canonical(file, error);
    if (!error) row->second = path.string();
  }
  return row->second;
}

// The memory that a probe answers in.
class Answers {
 public:
  Answers() : file_(memfd_create("aoti-cts-answers", MFD_CLOEXEC)) {
    if (file_ < 0 || ftruncate(file_, answers_capacity) != 0) fail();
    void* memory = mmap(nullptr, answers_capacity, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (memory == MAP_FAILED) fail();
    shared_ = static_cast<SharedAnswers*>(memory);
  }
  ~Answers() {
    munmap(shared_, answers_capacity);
    close(file_);
  }
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;

  int file() const { return file_; }
  SharedAnswers& operator*() const { return *shared_; }
  SharedAnswers* operator->() const { return shared_; }

 private:
  [[noreturn]] void fail() const {
    const int error = errno;
    if (file_ >= 0) close(file_);
    throw std::system_error(error, std::generic_category(), "memory for a probe's answers");
  }

  int file_;
  SharedAnswers* shared_ = nullptr;
};

// Runs the program to its end and returns its status; `file` becomes its descriptor for answers.
int run(const std::vector<std::string>& steps, int file) {
  const std::string path = helper_path("aoti-cts-probe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // On itself dup2() still takes the mark away that would close it.
  posix_spawn_file_actions_adddup2(&actions, file, answers_descriptor);
  std::vector<char*> argv = {const_cast<char*>(path.c_str())};
  for (const std::string& step : steps) argv.push_back(const_cast<char*>(step.c_str()));
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, path.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error(fmt::format("{}: {}", path, strerror(error)));
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string how_it_ended(int status, bool answered) {
  if (WIFSIGNALED(status)) {
    return fmt::format("the process was ended by signal {} ({})", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
  }
  if (WEXITSTATUS(status) == 0 && answered) return "";
  return fmt::format("the process ended with {}", WEXITSTATUS(status));
}

}  // namespace

ProbeAnswer run_probe(const std::vector<std::string>& steps) {
  const Answers answers;
  const int status = run(steps, answers.file());
  const std::string_view text = answers->load();
  ProbeAnswer answer;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    answer.lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  answer.problem = how_it_ended(status, answers->ended != 0);
  if (answer.problem.empty()) {
    if (answers->cut != 0) {
      answer.problem = fmt::format("its answers take more than {} bytes", SharedAnswers::room);
    }
  } else if (WIFEXITED(status) && WEXITSTATUS(status) == failed_step && !answer.lines.empty()) {
    answer.problem = answer.lines.back();
  } else if (answer.lines.empty()) {
    answer.problem = "the probe said nothing: " + answer.problem;
  }
  return answer;
}

Found read_found(const std::string& line) {
  std::istringstream words(line);
  Found found;
  std::string address;
  words >> found.name >> address;
  if (address == "none") return found;
  found.found = true;
  words >> found.offset;
  std::getline(words >> std::ws, found.file);
  found.file = resolved(found.file);
  return found;
}

}  // namespace aoti_cts::symbols
