// See child.h. Results go through files, not pipes: neither side can block on the other.
#include "devmap/child.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>

namespace aoti_cts::devmap {
namespace {

// The first byte of the result's file.
constexpr char finished = '=';
constexpr char failed = '!';
constexpr double seconds_between_questions = 0.1;

/// Ends this process as another one has ended.
[[noreturn]] void end_as(int status) {
  if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
  const rlimit none{0, 0};  // the core file, if any, is the child's
  setrlimit(RLIMIT_CORE, &none);
  const int signal = WTERMSIG(status);
  ::signal(signal, SIG_DFL);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigprocmask(SIG_SETMASK, &blocked, nullptr);
  raise(signal);
  _exit(128 + signal);
}

[[noreturn]] void run_child(const std::function<std::string()>& work, std::FILE* out) {
  dup2(STDERR_FILENO, STDOUT_FILENO);  // what the work prints is not the result
  std::string text;
  try {
    text = finished + work();
  } catch (const std::exception& error) {
    text = failed + std::string(error.what());
  } catch (...) {
    text = failed + std::string("an exception that is no std::exception");
  }
  const bool written =
      std::fwrite(text.data(), 1, text.size(), out) == text.size() && std::fflush(out) == 0;
  _exit(written ? 0 : 1);
}

}  // namespace

File temporary_file() {
  File file(std::tmpfile());
  if (!file) throw std::runtime_error(fmt::format("temporary file: {}", std::strerror(errno)));
  return file;
}

std::string whole_file(std::FILE* file) {
  std::string text;
  std::rewind(file);
  char buffer[65536];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, file)) > 0;) {
    text.append(buffer, got);
  }
  return text;
}

pid_t fork_guarded() {
  std::fflush(nullptr);
  const pid_t guard = fork();
  if (guard < 0) throw std::runtime_error(fmt::format("fork: {}", std::strerror(errno)));
  if (guard > 0) {
    setpgid(guard, guard);
    return guard;
  }
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const pid_t own = getpid();
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != own) _exit(1);  // it ended before it could be said
    return 0;
  }
  int status = W_EXITCODE(1, 0);
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  end_as(status);
}

bool wait_for(pid_t pid, double timeout_s, int& status, const Stop& stop) {
  using Clock = std::chrono::steady_clock;
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0) throw std::runtime_error(fmt::format("pidfd_open: {}", std::strerror(errno)));
  const auto start = Clock::now();
  pollfd event{fd, POLLIN, 0};
  bool ended = false;
  while (!ended && !(stop && stop())) {
    const double left = timeout_s - std::chrono::duration<double>(Clock::now() - start).count();
    if (left <= 0) break;
    const double wait = std::min(left, seconds_between_questions);
    ended = poll(&event, 1, 1 + static_cast<int>(wait * 1000)) > 0;
  }
  close(fd);
  kill(-pid, SIGKILL);  // while its number is still taken
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return ended;
}

std::string in_child(const std::string& what, double timeout_s,
                     const std::function<std::string()>& work, const Stop& stop) {
  const File out = temporary_file();
  const pid_t pid = fork_guarded();
  if (pid == 0) run_child(work, out.get());
  int status = 0;
  if (!wait_for(pid, timeout_s, status, stop)) {
    throw std::runtime_error(fmt::format("{} did not finish in {} s", what, timeout_s));
  }
  if (WIFSIGNALED(status)) {
    throw std::runtime_error(
        fmt::format("{} crashed: SIG{}", what, sigabbrev_np(WTERMSIG(status))));
  }
  const std::string text = whole_file(out.get());
  if (WEXITSTATUS(status) != 0 || text.empty()) {
    throw std::runtime_error(
        fmt::format("{} ended its process with code {}", what, WEXITSTATUS(status)));
  }
  if (text[0] == failed) throw std::runtime_error(text.substr(1));
  return text.substr(1);
}

}  // namespace aoti_cts::devmap
