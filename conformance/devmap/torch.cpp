// Asks the installed torch through conformance/devmap/probe.py, in a process of the user's own
// interpreter. Files, not pipes: neither side can block on the other.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "devmap/candidate.h"

namespace aoti_cts::devmap {
namespace {

using Json = nlohmann::ordered_json;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

File temporary() {
  File file(std::tmpfile());
  if (!file) throw std::runtime_error(fmt::format("temporary file: {}", std::strerror(errno)));
  return file;
}

std::string whole(std::FILE* file) {
  std::string text;
  std::rewind(file);
  char buffer[65536];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, file)) > 0;) {
    text.append(buffer, got);
  }
  return text;
}

// The recipes as the probe reads them.
std::string cases_text() {
  Json cases = Json::array();
  for (const RecipeText& recipe : recipe_texts()) {
    cases.push_back({{"id", recipe.name}, {"steps", Json::parse(recipe.json).at("steps")}});
  }
  return Json{{"corpus", corpus_digest()}, {"cases", std::move(cases)}}.dump();
}

[[noreturn]] void become(const TorchOptions& options, const File& in, const File& out,
                         const File& err) {
  setpgid(0, 0);
  dup2(fileno(in.get()), STDIN_FILENO);
  dup2(fileno(out.get()), STDOUT_FILENO);
  dup2(fileno(err.get()), STDERR_FILENO);
  std::vector<const char*> arguments = {options.python.c_str(), "-B", options.probe.c_str(),
                                        "--cases", "-"};
  for (const std::string& module : options.imports) {
    arguments.push_back("--import");
    arguments.push_back(module.c_str());
  }
  arguments.push_back(nullptr);
  execvp(options.python.c_str(), const_cast<char* const*>(arguments.data()));
  std::fprintf(stderr, "%s: %s\n", options.python.c_str(), std::strerror(errno));
  _exit(127);
}

// Waits for the process; false where the time ran out, and then it and its children are gone.
bool wait_for(pid_t pid, double timeout_s, int& status) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0) throw std::runtime_error(fmt::format("pidfd_open: {}", std::strerror(errno)));
  pollfd event{fd, POLLIN, 0};
  int ready = 0;
  while ((ready = poll(&event, 1, static_cast<int>(timeout_s * 1000))) < 0 && errno == EINTR) {
  }
  close(fd);
  if (ready <= 0) kill(-pid, SIGKILL);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return ready > 0;
}

std::string last_line(const std::string& text) {
  std::size_t end = text.size();
  while (end > 0 && text[end - 1] == '\n') --end;
  const std::size_t begin = text.rfind('\n', end == 0 ? 0 : end - 1);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1));
}

}  // namespace

std::string ask_torch(const TorchOptions& options) {
  const File in = temporary();
  const File out = temporary();
  const File err = temporary();
  const std::string cases = cases_text();
  if (std::fwrite(cases.data(), 1, cases.size(), in.get()) != cases.size() ||
      std::fflush(in.get()) != 0) {
    throw std::runtime_error(fmt::format("temporary file: {}", std::strerror(errno)));
  }
  std::rewind(in.get());
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error(fmt::format("fork: {}", std::strerror(errno)));
  if (pid == 0) become(options, in, out, err);
  setpgid(pid, pid);
  int status = 0;
  if (!wait_for(pid, options.timeout_s, status)) {
    throw std::runtime_error(fmt::format("{} did not finish in {} s: {}", options.python,
                                         options.timeout_s, last_line(whole(err.get()))));
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error(fmt::format("the probe failed in {} ({}): {}", options.python,
                                         WIFSIGNALED(status)
                                             ? fmt::format("signal {}", WTERMSIG(status))
                                             : fmt::format("exit code {}", WEXITSTATUS(status)),
                                         last_line(whole(err.get()))));
  }
  return whole(out.get());
}

}  // namespace aoti_cts::devmap
