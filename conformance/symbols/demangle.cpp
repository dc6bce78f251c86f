// demangle() of names.h. A mangled name is a program that writes a text: substitutions double it at
// each level, and 300 hostile characters stand for more text than there is memory. Names whose text
// is bounded are demangled here, as fast as it goes; the rest, one in a hundred of libtorch's, and
// Microsoft's by the helper process, whose time and memory are limited.
#include <cxxabi.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "symbols/command.h"
#include "symbols/names.h"

namespace aoti_cts::symbols {
namespace {

constexpr size_t kMaxMangled = 32u << 10;  // libtorch's longest has 5,000 characters
constexpr double kMaxText = 4e6;

// A bound of the text's length. Each reference to something before multiplies: n of them, spread
// over levels as evenly as serves them best, by e to the n/e. A pack expansion (Dp, sp) repeats its
// pattern for each of its arguments, which are no more than there are characters.
bool is_bounded(std::string_view name) {
  int references = 0, packs = 0;
  for (size_t i = 0; i + 1 < name.size(); ++i) {
    const std::string_view two = name.substr(i, 2);
    packs += two == "Dp" || two == "sp" ? 1 : 0;
    if (name[i] != 'S' && name[i] != 'T') continue;
    size_t end = i + 1;
    while (end < name.size() && isalnum(static_cast<unsigned char>(name[end]))) ++end;
    references += end < name.size() && name[end] == '_' ? 1 : 0;
  }
  const auto length = static_cast<double>(name.size());
  return std::pow(length, 1 + packs) * std::exp(references / 2.718) <= kMaxText;
}

std::string demangle_here(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && plain != nullptr ? plain.get() : name;
}

// `aoti-cts-objread demangle`, started when it is first asked. It ends when its socket does.
class Helper {
 public:
  Helper() = default;
  ~Helper() { stop(); }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  // The name itself where the helper ends over it. After some of those nothing is asked any more: a
  // table of such names must not cost a second each.
  std::string ask(const std::string& name) {
    if (deaths_ == kMaxDeaths || (socket_ < 0 && !start())) return name;
    std::string answer;
    if (send_all(name) && receive(answer)) return answer;
    stop();
    ++deaths_;
    return name;
  }

 private:
  static constexpr int kMaxDeaths = 4;

  // Empty where it is missing: a mangled name is no reason to end.
  static std::string helper() {
    try {
      return helper_path("aoti-cts-objread");
    } catch (const std::runtime_error&) {
      return "";
    }
  }

  bool start() {
    const std::string path = helper();
    std::array<int, 2> ends = {};
    if (path.empty() || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      return false;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::string program = path, command = "demangle";
    std::array<char*, 3> argv = {program.data(), command.data(), nullptr};
    const int error = posix_spawn(&pid_, path.c_str(), &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error != 0) {
      close(ends[0]);
      return false;
    }
    socket_ = ends[0];
    return true;
  }

  void stop() {
    if (socket_ < 0) return;
    close(socket_);
    socket_ = -1;
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  // With the NUL that ends it; the helper may have died meanwhile.
  bool send_all(const std::string& name) const {
    for (size_t done = 0; done <= name.size();) {
      const ssize_t sent = send(socket_, name.c_str() + done, name.size() + 1 - done, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      done += static_cast<size_t>(sent);
    }
    return true;
  }

  bool receive(std::string& answer) const {
    std::array<char, 4096> block = {};
    for (;;) {
      const ssize_t got = recv(socket_, block.data(), block.size(), 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      answer.append(block.data(), static_cast<size_t>(got));
      if (answer.back() == '\0') {
        answer.pop_back();
        return true;
      }
    }
  }

  int socket_ = -1;
  pid_t pid_ = 0;
  int deaths_ = 0;
};

}  // namespace

std::string demangle(std::string_view name) {
  static Helper helper;
  std::string text(name);
  if (name.size() > kMaxMangled) return text;
  if (name.starts_with("?")) return helper.ask(text);
  if (!name.starts_with("_Z")) return text;
  return is_bounded(name) ? demangle_here(text) : helper.ask(text);
}

}  // namespace aoti_cts::symbols
