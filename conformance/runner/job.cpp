// See job.h.
#include "runner/job.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "report/text.h"
#include "runner/processes.h"

namespace aoti_cts::runner {
namespace {

constexpr off_t output_kept = 64 * 1024;         // what a report's tail is taken from
constexpr off_t output_limit = 4 * 1024 * 1024;  // from here on the older part is given back
constexpr int tail_lines = 12;
constexpr std::size_t tail_bytes = 2000;
// A case that waits for a processor is not hanging: the time that others had it does not count, up
// to this many limits.
constexpr int most_queued = 9;
// More processes than this are a case that multiplies, which could take the machine along.
constexpr std::size_t most_processes = 256;
// How often the memory of what a case started is counted, which takes longer than its own.
constexpr std::chrono::milliseconds count_started{20};
// After the kill of a case its server has this long to say so, then it goes too.
constexpr std::chrono::seconds grace{2};

int output_file() {
  const int file = memfd_create("aoti-cts-output", MFD_CLOEXEC);
  if (file < 0 || fcntl(file, F_SETFL, O_APPEND) < 0) {
    throw std::system_error(errno, std::generic_category(), "a file for the candidate's output");
  }
  return file;
}

}  // namespace

Job::Job(const RunOptions& options, const std::vector<const suite::CaseRow*>& cases,
         SharedArea* area, std::size_t slots, SharedSlot* slot)
    : options_(options),
      plan_{area, slots, slot, &options.candidate, &cases, output_file(), false},
      slot_(slot) {}

Job::Job(Job&& other) noexcept
    : options_(other.options_),
      plan_(other.plan_),
      slot_(other.slot_),
      state_(other.state_),
      server_(std::exchange(other.server_, 0)),
      inherited_(other.inherited_) {
  other.plan_.output = -1;
  other.state_ = State::Dead;
}

Job::~Job() {
  stop();
  if (plan_.output >= 0) close(plan_.output);
}

void Job::start(bool cold) {
  stop();
  plan_.cold = cold;
  clear_output();
  slot_->running.reset();
  slot_->stopped = 0;
  kill_.reset();
  started_ = step_started_ = Clock::now();
  steps_ = 0;
  queued_before_ms_ = 0;
  others_before_ms_ = 0;
  helpers_.clear();
  inherited_ = private_bytes(getpid());
  server_ = start_server(plan_);
  state_ = State::Starting;
}

void Job::run(std::size_t case_index, bool shared) {
  if (waiting_ && slot_->ended == slot_->command) waiting_ = false;  // it died meanwhile
  served_ = waiting_ ? served_ + 1 : 1;
  const pid_t before = waiting_ ? watched() : 0;  // a process that has served others, or none yet
  queued_before_ms_ = queued_ms(before);
  others_before_ms_ = others_ms(server_, before);
  helpers_ = descendants(server_, most_processes);
  std::erase(helpers_, before);
  waiting_ = false;
  slot_->leave = 0;
  slot_->stay = shared && served_ < options_.batch ? 1 : 0;
  case_ = case_index;
  clear_output();
  slot_->running.reset();
  slot_->fork_errno = 0;
  slot_->stopped = 0;
  slot_->case_index = static_cast<uint32_t>(case_index);
  kill_.reset();
  started_ = step_started_ = Clock::now();
  steps_ = 0;
  state_ = State::Running;
  slot_->command.fetch_add(1);
  futex_wake(slot_->command);
}

void Job::dismiss() {
  waiting_ = false;
  slot_->leave = 1;
  futex_wake(slot_->command);
  killed_ = Clock::now();
  state_ = State::Leaving;
}

bool Job::poll_left() {
  int status = 0;
  if (slot_->ended == slot_->command) {
    state_ = State::Idle;
  } else if (server_ended(status)) {
    state_ = State::Dead;
  } else {
    if (Clock::now() - killed_ > grace) kill_case();
    return false;
  }
  return true;
}

void Job::stop() {
  waiting_ = false;
  state_ = State::Dead;
  if (server_ == 0) return;
  kill_case();
  kill(-server_, SIGKILL);
  kill(server_, SIGKILL);
  waitpid(server_, nullptr, 0);
  server_ = 0;
}

bool Job::server_ended(int& status) {
  if (waitpid(server_, &status, WNOHANG) != server_) return false;
  kill(-server_, SIGKILL);
  server_ = 0;
  return true;
}

std::optional<CaseResult> Job::poll_start() {
  const ServerPhase phase = slot_->phase;
  std::optional<CaseResult> result;
  int status = 0;
  if (phase == ServerPhase::Ready) {
    result.emplace().verdict = Verdict::Pass;
    result->assertions = 1;
    finish(*result);
    state_ = State::Idle;
  } else if (phase == ServerPhase::LoadError) {
    result.emplace().verdict = Verdict::LoadError;
    result->detail = printable(slot_->error.load());
    finish(*result);
    stop();
  } else if (server_ended(status)) {
    // It may have said its last word between the two looks at it.
    if (slot_->phase == ServerPhase::LoadError) return poll_start();
    result = ended_by(status, kill_, "while the candidate was loaded");
    finish(*result);
    state_ = State::Dead;
  }
  return result;
}

std::optional<CaseResult> Job::poll_case(std::string& tool_error) {
  int status = 0;
  std::optional<CaseResult> result;
  if (slot_->ended == slot_->command) {
    if (fork_failed()) {
      tool_error =
          fmt::format("fork failed: {}", std::generic_category().message(slot_->fork_errno));
      result.emplace().detail = tool_error;
    } else {
      result = collect(slot_->running, slot_->wait_status, kill_, tool_error);
    }
    state_ = State::Idle;
  } else if (slot_->finished == slot_->command) {
    result = collect(slot_->running, 0, kill_, tool_error);
    state_ = State::Idle;
    waiting_ = true;
  } else if (server_ended(status)) {
    // The case did it, or the candidate itself in fork(): began() tells.
    result = collect(slot_->running, status, kill_, tool_error);
    result->detail += "; its fork server ended with it";
    state_ = State::Dead;
  }
  if (result) finish(*result);
  return result;
}

bool Job::began() const { return slot_->running.phase != Phase::None; }

bool Job::poll_idle() {
  int status = 0;
  if (!server_ended(status)) return true;
  waiting_ = false;
  state_ = State::Dead;
  return false;
}

void Job::enforce(bool crowded) {
  if (state_ != State::Starting && state_ != State::Running) return;
  struct stat info {};
  if (fstat(plan_.output, &info) == 0 && info.st_size > output_limit) {
    fallocate(plan_.output, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
              info.st_size - output_kept);
  }
  notice_step();
  if (!kill_) {
    if (crowded && descendants(server_, most_processes + 1).size() > most_processes) {
      limit(Verdict::Oom, fmt::format("killed at more than {} processes at once", most_processes));
    } else if (const int signal = stopped_by(); signal != 0) {
      limit(Verdict::Timeout,
            fmt::format("stopped by {}, which nothing ends", signal_name(signal)));
    } else if (over_time()) {
      limit(Verdict::Timeout,
            fmt::format("killed at the time limit of {} s{}", options_.timeout_s, waited_text()));
    } else if (const uint64_t bytes = private_now(); bytes > options_.memory_bytes) {
      limit(Verdict::Oom, fmt::format("killed at {} MiB of private memory (limit {} MiB)",
                                      bytes >> 20U, options_.memory_bytes >> 20U));
    }
  }
  if (!kill_) return;
  if (state_ == State::Running && Clock::now() - killed_ < grace) return kill_case();
  kill(-server_, SIGKILL);
  kill(server_, SIGKILL);
}

// A stopped process would only wait for its time limit. Its server is told of it by the kernel, and
// this process of the server, where the candidate stopped that: at its load, or from a case.
int Job::stopped_by() const {
  if (slot_->stopped != 0) return slot_->stopped;
  siginfo_t info{};
  const auto id = static_cast<id_t>(server_);
  if (waitid(P_PID, id, &info, WSTOPPED | WNOHANG | WNOWAIT) != 0) return 0;
  return info.si_pid == server_ ? info.si_status : 0;
}

void Job::limit(Verdict verdict, std::string text) {
  kill_ = Kill{verdict, std::move(text)};
  killed_ = Clock::now();
}

// Of the process being watched and all that it started, above what the loaded candidate had; while
// it is loaded, above what a fork of this process starts out with, which has read models and their
// inputs.
uint64_t Job::private_now() {
  const bool starting = state_ == State::Starting;
  if (starting && plan_.cold) return 0;
  const pid_t pid = watched();
  if (pid <= 0) return 0;
  uint64_t base = inherited_;
  if (!starting) {
    const uint64_t loaded = plan_.cold ? slot_->running.baseline : slot_->baseline;
    if (loaded != 0) base = loaded;
  }
  const uint64_t bytes = with_started(pid, private_bytes(pid), base);
  if (!starting && slot_->pid != pid) return 0;  // ended meanwhile: the number may be another's
  return bytes > base ? bytes - base : 0;
}

// `own` bytes of the watched process, or what it and all that it started have together. A copy
// starts out with all that the process has, so a sum over processes would count that many times:
// only where even this is above the limit the shared pages are told apart. The server is counted
// too, which shares the loaded candidate with them.
uint64_t Job::with_started(pid_t pid, uint64_t own, uint64_t base) {
  const auto now = Clock::now();
  if (now - counted_ < count_started) return own;
  counted_ = now;
  std::vector<pid_t> all = descendants(server_, most_processes);
  std::erase_if(all, [this](pid_t one) {
    return std::find(helpers_.begin(), helpers_.end(), one) != helpers_.end();
  });
  uint64_t most = own;
  for (const pid_t one : all) {
    if (one != pid) most += private_bytes(one);
  }
  if (most == own || most <= base || most - base <= options_.memory_bytes) return own;
  all.push_back(server_);
  return std::max(own, anonymous_bytes(all));
}

void Job::kill_case() {
  const pid_t pid = slot_->pid;
  if (pid <= 0) return;
  // By system call: glibc 2.36 declares these without extern "C".
  const auto handle = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (handle < 0) {
    if (errno == ENOSYS) kill(pid, SIGKILL);
    return;
  }
  // The server zeroes `pid` before it reaps: if it still stands, the handle is the child's. A
  // candidate may have written another number there, of a process that is not ours to kill.
  if (slot_->pid == pid && parent_of(pid) == server_) {
    // What it has started first, at once: later there may be more of them.
    if (getpgid(pid) == pid) kill(-pid, SIGKILL);
    syscall(SYS_pidfd_send_signal, handle, SIGKILL, nullptr, 0);
  }
  close(handle);
}

void Job::finish(CaseResult& result) {
  result.ms = elapsed_ms();
  if (result.verdict != Verdict::Pass) result.stderr_tail = output_tail();
}

void Job::clear_output() const {
  struct stat info {};
  if (fstat(plan_.output, &info) == 0 && info.st_size > 0 && ftruncate(plan_.output, 0) < 0) {
    throw std::system_error(errno, std::generic_category(), "clearing the candidate's output");
  }
}

std::string Job::output_tail() const {
  struct stat info {};
  if (fstat(plan_.output, &info) < 0 || info.st_size <= 0) return "";
  const off_t start = info.st_size > output_kept ? info.st_size - output_kept : 0;
  std::string text(static_cast<std::size_t>(info.st_size - start), '\0');
  const ssize_t size = pread(plan_.output, text.data(), text.size(), start);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return printable(tail(text, tail_lines, tail_bytes));
}

pid_t Job::watched() const { return state_ == State::Starting ? server_ : pid_t{slot_->pid}; }

// How long the case was ready to run while others had the processors. Its own threads and children
// are no others: what they took is taken off.
double Job::waited_ms() const {
  const pid_t pid = watched();
  const double own = std::max(0.0, others_ms(server_, pid) - others_before_ms_);
  return std::max(0.0, queued_ms(pid) - queued_before_ms_ - own);
}

void Job::notice_step() {
  const uint64_t steps = slot_->running.steps;
  if (steps == steps_) return;
  steps_ = steps;
  step_started_ = Clock::now();
  const pid_t pid = watched();
  queued_before_ms_ = queued_ms(pid);
  others_before_ms_ = others_ms(server_, pid);
}

bool Job::over_time() const {
  const double limit = options_.timeout_s * 1000;
  const double elapsed = step_ms();
  if (elapsed <= limit) return false;
  return elapsed - std::min(waited_ms(), most_queued * limit) > limit;
}

std::string Job::waited_text() const {
  const double elapsed_s = step_ms() / 1000;
  if (elapsed_s < 1.2 * options_.timeout_s) return "";
  return fmt::format(", after {:.1f} s in which others had the processors too", elapsed_s);
}

double Job::step_ms() const {
  return std::chrono::duration<double, std::milli>(Clock::now() - step_started_).count();
}

double Job::elapsed_ms() const {
  return std::chrono::duration<double, std::milli>(Clock::now() - started_).count();
}

}  // namespace aoti_cts::runner
