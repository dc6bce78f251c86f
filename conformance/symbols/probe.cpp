// Starts aoti-cts-probe and collects its answers; see probe.h.
#include "symbols/probe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "symbols/command.h"

extern char** environ;

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

}  // namespace

ProbeAnswer run_probe(const std::vector<std::string>& steps) {
  const ScratchFolder scratch;
  const std::string answers = scratch.file("answers");
  const std::string path = helper_path("aoti-cts-probe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 3, answers.c_str(), O_WRONLY | O_CREAT, 0600);
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
  ProbeAnswer answer;
  std::ifstream file(answers);
  for (std::string line; std::getline(file, line);) answer.lines.push_back(line);
  if (WIFSIGNALED(status)) {
    answer.problem = fmt::format("the process was ended by signal {} ({})", WTERMSIG(status),
                                 strsignal(WTERMSIG(status)));
  } else if (WEXITSTATUS(status) != 0) {
    answer.problem = answer.lines.empty()
                         ? fmt::format("the process ended with {}", WEXITSTATUS(status))
                         : answer.lines.back();
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
