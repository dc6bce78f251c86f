// Asks the installed torch through conformance/devmap/probe.py, in a process of the user's own
// interpreter.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "devmap/candidate.h"
#include "devmap/child.h"

namespace aoti_cts::devmap {
namespace {

using Json = nlohmann::ordered_json;

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

std::string last_line(const std::string& text) {
  std::size_t end = text.size();
  while (end > 0 && text[end - 1] == '\n') --end;
  const std::size_t begin = text.rfind('\n', end == 0 ? 0 : end - 1);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1));
}

}  // namespace

std::string ask_torch(const TorchOptions& options) {
  const File in = temporary_file();
  const File out = temporary_file();
  const File err = temporary_file();
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
                                         options.timeout_s, last_line(whole_file(err.get()))));
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error(fmt::format("the probe failed in {} ({}): {}", options.python,
                                         WIFSIGNALED(status)
                                             ? fmt::format("signal {}", WTERMSIG(status))
                                             : fmt::format("exit code {}", WEXITSTATUS(status)),
                                         last_line(whole_file(err.get()))));
  }
  return whole_file(out.get());
}

}  // namespace aoti_cts::devmap
