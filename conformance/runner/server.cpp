// The fork server's process and its children; see server.h.
//
// A server loads the candidate, so it may be damaged in any way from then on: it holds nothing that
// the main process needs, takes its orders through shared memory, and can be killed and replaced.
#include "runner/server.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <system_error>

#include "runner/gtest_cases.h"

namespace aoti_cts::runner {
namespace {

// A process of the runner dies with the one that started it, also if that one is killed.
void die_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
}

void close_from(unsigned first) {
  if (close_range(first, ~0U, 0) == 0) return;
  for (int fd = static_cast<int>(first); fd < 65536; ++fd) close(fd);
}

// Leaves the candidate nothing of ours to write to: stdin is empty, stdout and stderr are
// collected.
void take_descriptors(int output) {
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  close_from(STDERR_FILENO + 1);
}

// 1 and not 0: to a pipe in core_pattern 0 means no limit, while 1 stops it, and a file as well.
void no_core_files() {
  const rlimit tiny{1, 1};
  setrlimit(RLIMIT_CORE, &tiny);
}

std::vector<pid_t> children() {
  std::vector<pid_t> all;
  const std::string path = fmt::format("/proc/self/task/{}/children", getpid());
  std::ifstream file(path);
  for (pid_t pid = 0; file >> pid;) all.push_back(pid);
  return all;
}

void ring(const ServerPlan& plan) {
  plan.area->bell.fetch_add(1);
  futex_wake(plan.area->bell);
}

// Where the process may serve further cases: says that this one is over, and waits for the next.
bool next_case(const ServerPlan& plan, uint32_t& command) {
  SharedSlot& slot = *plan.slot;
  if (slot.stay == 0 || slot.running.phase != Phase::Done) return false;
  slot.finished.store(command, std::memory_order_release);
  ring(plan);
  // In slices, because `leave` may be set between the look at it and the wait.
  while (slot.leave == 0 && slot.command == command) futex_wait(slot.command, command, 50);
  if (slot.command == command) return false;
  command = slot.command;
  return true;
}

[[noreturn]] void child(const ServerPlan& plan, const Loaded* loaded, uint32_t command) {
  SharedCase& out = plan.slot->running;
  Loaded own;
  uint64_t baseline = 0;
  if (loaded == nullptr) {
    out.phase = Phase::Loading;
    own = load(*plan.candidate);
    if (!own.error.empty()) {
      out.error.store(own.error);
      out.phase = Phase::LoadError;
      _exit(0);
    }
    loaded = &own;
    baseline = private_bytes(getpid());
  }
  do {
    out.baseline = baseline;
    const suite::CaseRow& row = *plan.cases->at(plan.slot->case_index);
    run_case(row, loaded->table, plan.candidate->cuda, out);
  } while (next_case(plan, command));
  _exit(0);
}

void end_command(const ServerPlan& plan, uint32_t command) {
  plan.slot->ended.store(command, std::memory_order_release);
  ring(plan);
}

// Returns the last command that ended: a child may have served others after the one it began with.
uint32_t run_command(const ServerPlan& plan, const Loaded* loaded, const std::vector<pid_t>& spare,
                     uint32_t command) {
  SharedSlot& slot = *plan.slot;
  const pid_t self = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    slot.fork_errno = errno;
    end_command(plan, command);
    return command;
  }
  if (pid == 0) {
    setpgid(0, 0);
    die_with(self);
    child(plan, loaded, command);
  }
  setpgid(pid, pid);
  slot.pid.store(pid);
  siginfo_t info{};
  int events = WEXITED | WSTOPPED | WNOWAIT;
  for (;;) {
    const int rc = waitid(P_PID, static_cast<id_t>(pid), &info, events);
    if (rc < 0 && errno == EINTR) continue;
    if (rc != 0 || info.si_code != CLD_STOPPED) break;
    slot.stopped = info.si_status;  // the main process ends it
    ring(plan);
    events = WEXITED | WNOWAIT;
  }
  // Until it is reaped the number is the child's own: who still reads it here kills nobody else.
  slot.pid.store(0);
  kill(-pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  kill_children(spare);
  slot.wait_status = status;
  const uint32_t last = slot.command;
  end_command(plan, last);
  return last;
}

// Nothing may unwind from here into the main process's frames, of which this is a copy.
[[noreturn]] void serve(const ServerPlan& plan, pid_t parent) noexcept {
  setpgid(0, 0);
  die_with(parent);
  for (const int one : {SIGINT, SIGTERM, SIGHUP}) signal(one, SIG_DFL);  // the main process's own
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // so that what a case leaves running falls to us
  no_core_files();
  take_descriptors(plan.output);
  keep_only(*plan.area, plan.slots, *plan.slot);
  SharedSlot& slot = *plan.slot;
  uint32_t last = slot.command;
  Loaded loaded;
  if (!plan.cold) {
    loaded = load(*plan.candidate);
    slot.error.store(loaded.error);
    slot.hint.store(loaded.found_under);
    slot.threads_added = static_cast<uint32_t>(std::max(loaded.threads_added, 0));
    slot.shims_found = static_cast<uint32_t>(loaded.shims_found);
    slot.baseline = private_bytes(getpid());
  }
  slot.phase = loaded.error.empty() ? ServerPhase::Ready : ServerPhase::LoadError;
  ring(plan);
  if (!loaded.error.empty()) _exit(0);
  const std::vector<pid_t> helpers = children();  // started by the load: the candidate's to keep
  for (;;) {
    while (slot.command == last) futex_wait(slot.command, last, -1);
    last = slot.command;
    last = run_command(plan, plan.cold ? nullptr : &loaded, helpers, last);
  }
}

}  // namespace

pid_t start_server(const ServerPlan& plan) {
  plan.slot->phase = ServerPhase::Loading;
  plan.slot->pid = 0;
  plan.slot->stay = 0;
  plan.slot->leave = 0;
  plan.slot->ended.store(plan.slot->command);
  plan.slot->finished.store(plan.slot->command);
  fflush(nullptr);  // or a child that calls exit() writes our text a second time
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "starting a fork server");
  if (pid == 0) serve(plan, parent);
  setpgid(pid, pid);
  return pid;
}

void kill_children(const std::vector<pid_t>& spare) {
  // Bounded: each round ends at least one process, but a fork bomb could outrun it.
  for (int round = 0; round < 1000; ++round) {
    bool any = false;
    for (const pid_t pid : children()) {
      if (std::find(spare.begin(), spare.end(), pid) != spare.end()) continue;
      any = true;
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
    if (!any) return;
  }
}

}  // namespace aoti_cts::runner
