// See child.h. Results go through files, not pipes: neither side can block on the other.
#include "devmap/child.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace aoti_cts::devmap {
namespace {

// The first byte of the result's file.
constexpr char finished = '=';
constexpr char failed = '!';

[[noreturn]] void run_child(const std::function<std::string()>& work, std::FILE* out) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
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

std::string in_child(const std::string& what, double timeout_s,
                     const std::function<std::string()>& work) {
  const File out = temporary_file();
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error(fmt::format("fork: {}", std::strerror(errno)));
  if (pid == 0) run_child(work, out.get());
  setpgid(pid, pid);
  int status = 0;
  if (!wait_for(pid, timeout_s, status)) {
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
