// See isolation.h.
#include "path/isolation.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <exception>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

namespace aoti_cts::path {
namespace {

// Sent rather than left to the end of file, because forked processes hold copies of each pipe.
constexpr const char* end_of_report = "\n.\n";

std::string why(const char* call) { return fmt::format("{}: {}", call, std::strerror(errno)); }

bool write_all(int descriptor, const std::string& text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = write(descriptor, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

/// What comes up to and with `end`, or up to the end of file.
std::string read_until(int descriptor, const std::string& end) {
  std::string text;
  char buffer[4096];
  while (text.size() < end.size() || text.compare(text.size() - end.size(), end.size(), end) != 0) {
    const ssize_t count = read(descriptor, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(buffer, static_cast<size_t>(count));
  }
  return text;
}

bool write_file(const char* path, const std::string& text) {
  const int descriptor = open(path, O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool written = write_all(descriptor, text);
  close(descriptor);
  return written;
}

/// unshare(), by way of a user namespace where that is what it takes. Returns why not.
std::string own_namespace(int kind) {
  if (unshare(kind) == 0) return "";
  const bool no_right = errno == EPERM;
  std::string refused = why("unshare");
  const uid_t user = geteuid();
  const gid_t group = getegid();
  if (!no_right || unshare(kind | CLONE_NEWUSER) != 0) return refused;
  if (!write_file("/proc/self/setgroups", "deny") ||
      !write_file("/proc/self/uid_map", fmt::format("0 {} 1", user)) ||
      !write_file("/proc/self/gid_map", fmt::format("0 {} 1", group))) {
    return why("mapping the user into a namespace");
  }
  return "";
}

void wait_for(pid_t pid) {
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

/// Becomes the parent of process 1 of a pid namespace, and returns in that one alone.
std::string enter_pids() {
  std::string refused = own_namespace(CLONE_NEWPID);
  if (!refused.empty()) return refused;
  const pid_t pid = fork();
  if (pid < 0) return why("fork");
  if (pid > 0) {
    wait_for(pid);
    _exit(0);
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return "";
}

std::string told(const Peer::Work& work, Peer::Pids pids) {
  const std::string refused = pids == Peer::Pids::Own ? enter_pids() : "";
  if (!refused.empty()) return Peer::refusal + refused;
  std::string text;
  try {
    for (const std::string& line : work()) text += line + "\n";
  } catch (const std::exception& error) {
    text += fmt::format("{}\n", error.what());
  } catch (...) {
    text += "an exception that is no std::exception\n";
  }
  return text;
}

[[noreturn]] void be_peer(const Peer::Work& work, Peer::Pids pids, int report, int release) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  write_all(report, told(work, pids) + end_of_report);
  eventfd_t released = 0;
  while (eventfd_read(release, &released) != 0 && errno == EINTR) {
  }
  _exit(0);
}

}  // namespace

std::string own_mounts() {
  std::string refused = own_namespace(CLONE_NEWNS);
  if (refused.empty() && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    refused = why("making mounts private");
  }
  return refused;
}

Mounted::Mounted(std::string directory, unsigned long flags, const std::string& options)
    : directory_(std::move(directory)) {
  if (mount("tmpfs", directory_.c_str(), "tmpfs", flags, options.c_str()) != 0) {
    throw std::system_error(errno, std::generic_category(), "tmpfs on " + directory_);
  }
}

Mounted::~Mounted() { umount2(directory_.c_str(), MNT_DETACH); }

std::string refuse_creation_without_excl() {
  constexpr uint32_t number = offsetof(seccomp_data, nr);
  constexpr auto argument = [](uint32_t index) {
    const uint32_t at = offsetof(seccomp_data, args) + index * sizeof(uint64_t);
    return at + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4u : 0u);  // its low half
  };
  const sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number),
#ifdef __NR_creat
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_creat, 8, 0),
#endif
#ifdef __NR_open
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_open, 3, 0),
#endif
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat, 0, 5),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument(2)),
      BPF_STMT(BPF_JMP | BPF_JA, 1),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument(1)),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, O_CREAT | O_EXCL),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, O_CREAT, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
  };
  const sock_fprog filter = {static_cast<unsigned short>(std::size(program)),
                             const_cast<sock_filter*>(program)};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return why("no_new_privs");
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) return why("seccomp");
  return "";
}

Peer::Peer(const Work& work, Pids pids) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  report_ = ends[0];
  release_ = eventfd(0, EFD_CLOEXEC);
  pid_ = release_ < 0 ? -1 : fork();
  if (pid_ == 0) be_peer(work, pids, ends[1], release_);
  const int error = errno;
  close(ends[1]);
  if (pid_ > 0) return;
  close(report_);
  close(release_);
  throw std::system_error(error, std::generic_category(), "a process");
}

Peer::Peer(Peer&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      report_(std::exchange(other.report_, -1)),
      release_(std::exchange(other.release_, -1)) {}

Peer::~Peer() {
  if (pid_ <= 0) return;
  eventfd_write(release_, 1);
  wait_for(pid_);
  close(release_);
  close(report_);
}

std::vector<std::string> Peer::report() {
  const std::string text = read_until(report_, end_of_report);
  const size_t end = text.rfind(end_of_report);
  if (end == std::string::npos) return {"the process ended before its report did"};
  std::istringstream body(text.substr(0, end));
  std::vector<std::string> lines;
  for (std::string line; std::getline(body, line);) lines.push_back(line);
  return lines;
}

}  // namespace aoti_cts::path
