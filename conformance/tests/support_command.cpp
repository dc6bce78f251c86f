// See support/command.h.
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "support/command.h"

namespace aoti_cts::tests {
namespace fs = std::filesystem;
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void redirect(const std::string& path, int to) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || dup2(file, to) < 0) _exit(120);
  close(file);
}

}  // namespace

Ran run(const std::vector<std::string>& argv, const std::string& folder,
        const std::map<std::string, std::string>& environment) {
  const Scratch scratch;
  std::vector<char*> arguments;
  arguments.reserve(argv.size() + 1);
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const std::string out = scratch.path("out");
  const std::string err = scratch.path("err");
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("fork failed");
  if (pid == 0) {
    redirect(out, STDOUT_FILENO);
    redirect(err, STDERR_FILENO);
    if (!folder.empty() && chdir(folder.c_str()) != 0) _exit(121);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    execv(arguments[0], arguments.data());
    _exit(122);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  Ran ran;
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  ran.out = text_of(out);
  ran.err = text_of(err);
  return ran;
}

Ran on_small_disk(const std::string& tool, const std::string& folder, const std::string& size,
                  const std::vector<std::string>& arguments) {
  const std::string mount = "mount -t tmpfs -o size=" + size + " tmpfs \"$TMPDIR\"";
  const std::string script = mount + " || exit 77; exec \"$0\" \"$@\"";
  std::vector<std::string> argv = {
      "/bin/sh", "-c",      "unshare -rm true || exit 77; exec unshare -rm \"$@\"",
      "sh",      "/bin/sh", "-c",
      script,    tool};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return run(argv, "", {{"TMPDIR", folder}});
}

Scratch::Scratch() : path_((fs::temp_directory_path() / "aoti-cts-test-XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no scratch folder: " + path_);
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string Scratch::path(const std::string& name) const {
  return name.empty() ? path_ : path_ + "/" + name;
}

void Scratch::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name), std::ios::binary) << text;
}

std::string Scratch::read(const std::string& name) const { return text_of(path(name)); }

std::vector<std::string> Scratch::files() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path_)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

std::map<std::string, std::string> verdicts(const nlohmann::json& report) {
  std::map<std::string, std::string> all;
  for (const auto& clause : report.at("results")) {
    for (const auto& row : clause.at("cases")) {
      all[clause.at("clause").get<std::string>() + "/" + row.at("name").get<std::string>()] =
          row.at("verdict").get<std::string>();
    }
  }
  return all;
}

nlohmann::json case_of(const nlohmann::json& report, const std::string& id) {
  for (const auto& clause : report.at("results")) {
    for (const auto& row : clause.at("cases")) {
      const std::string name = row.at("name");
      if (clause.at("clause").get<std::string>() + "/" + name == id) return row;
    }
  }
  return nullptr;
}

}  // namespace aoti_cts::tests
