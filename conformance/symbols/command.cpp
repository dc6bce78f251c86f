// See command.h.
#include "symbols/command.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace aoti_cts::symbols {
namespace {

std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

}  // namespace

std::string Ran::reason() const {
  std::string first;
  for (size_t at = 0; at < output.size();) {
    const size_t end = std::min(output.find('\n', at), output.size());
    std::string line = output.substr(at, end - at);
    if (first.empty()) first = line;
    if (line.find("error") != std::string::npos || line.find("undefined") != std::string::npos) {
      return line;
    }
    at = end + 1;
  }
  return first.empty() ? "no message" : first;
}

Ran run_shell(const std::string& command) {
  Ran ran;
  // </dev/null: a tool that asks must not wait for our caller's input.
  // NOLINTNEXTLINE(cert-env33-c): a shell is what the caller asks for
  FILE* pipe = popen(("{ " + command + "\n} </dev/null 2>&1").c_str(), "re");
  if (pipe == nullptr) throw std::runtime_error("popen: no shell for " + command);
  std::array<char, 4096> block = {};
  for (size_t got = 0; (got = fread(block.data(), 1, block.size(), pipe)) > 0;) {
    ran.output.append(block.data(), got);
  }
  const int status = pclose(pipe);
  ran.ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return ran;
}

std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char ch : text) word += ch == '\'' ? std::string("'\\''") : std::string(1, ch);
  return word + "'";
}

std::string compile_command() { return variable("CXX", "c++") + " " + variable("CXXFLAGS", ""); }

std::string link_command() { return compile_command() + " " + variable("LDFLAGS", ""); }

std::string own_file(const std::string& what, const std::vector<std::string>& places) {
  const std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::string tried;
  for (const std::string& relative : places) {
    const std::filesystem::path path = (folder / relative).lexically_normal();
    if (std::filesystem::is_regular_file(path)) return path.string();
    tried += "\n  " + path.string();
  }
  throw std::runtime_error(fmt::format("{} is missing; looked for{}", what, tried));
}

std::string helper_path(const std::string& name) {
  return own_file(name, {"./" + name, "../" + name, AOTI_CTS_LIBEXEC "/" + name});
}

namespace {

struct Temporary {
  std::string path;
  std::string problem;
};

const Temporary& temporary() {
  static const Temporary found = [] {
    std::error_code error;
    Temporary one{std::filesystem::temp_directory_path(error).string(), ""};
    if (error) {
      one.problem = fmt::format("TMPDIR {}: no folder for temporary files: {}",
                                variable("TMPDIR", ""), error.message());
    }
    return one;
  }();
  return found;
}

}  // namespace

void remember_temporary_folder() { temporary(); }

std::string temporary_folder() {
  if (!temporary().problem.empty()) throw std::runtime_error(temporary().problem);
  return temporary().path;
}

void fail_temporary_folder(const std::string& reason) {
  throw std::runtime_error(
      fmt::format("temporary folder {} (TMPDIR): {}", temporary_folder(), reason));
}

ScratchFolder::ScratchFolder() {
  path_ = temporary_folder() + "/aoti-cts-XXXXXX";
  if (mkdtemp(path_.data()) == nullptr) fail_temporary_folder(strerror(errno));
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream out(file(name), std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error(file(name) + ": cannot be written");
  return file(name);
}

}  // namespace aoti_cts::symbols
