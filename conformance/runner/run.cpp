// The main process's loop: hands cases to jobs, collects verdicts, replaces servers that died.
//
// It has one thread and waits on one futex, which every server rings; every few milliseconds it
// looks at limits and at servers that ended without a word.
#include "runner/run.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <deque>
#include <random>
#include <set>

#include "runner/interrupt.h"
#include "runner/job.h"
#include "runner/load.h"
#include "runner/processes.h"

namespace aoti_cts::runner {
namespace {

constexpr int tick_ms = 5;
constexpr int max_idle_deaths = 3;  // of hot servers, before every case gets a load of its own
constexpr int max_load_failures = 3;
constexpr std::chrono::seconds look_at_running{1};

class Runner {
 public:
  Runner(const RunOptions& options, const std::vector<const suite::CaseRow*>& cases);
  RunResult run();

 private:
  bool load();
  std::optional<CaseResult> load_once();
  void loop();
  bool step(Job& job);
  void step_starting(Job& job);
  void retry_unbegun(const Job& job, const CaseResult& result);
  void assign(Job& job);
  void finish(std::size_t index, CaseResult result, const std::string& tool_error);
  void note_bad_load(Job& job, const CaseResult& load);
  void go_cold(const std::string& why);
  void sweep() const;
  void tell_running();
  void note_interrupt();

  const RunOptions& options_;
  const std::vector<const suite::CaseRow*>& cases_;
  SharedArea* area_;
  std::vector<Job> jobs_;
  std::deque<std::size_t> pending_;
  std::deque<std::size_t> retries_;  // each in a fresh process
  std::set<std::size_t> alone_;      // failed after others in one process
  std::vector<std::optional<CaseResult>> first_try_;
  std::size_t finished_ = 0;
  bool all_cold_ = false;
  int idle_deaths_ = 0;
  int load_failures_ = 0;
  Crowd crowd_;
  std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
  RunResult result_;
};

Runner::Runner(const RunOptions& options, const std::vector<const suite::CaseRow*>& cases)
    : options_(options), cases_(cases), first_try_(cases.size()) {
  const std::size_t wanted = std::max<std::size_t>(
      1, std::min<std::size_t>(static_cast<std::size_t>(options.jobs), cases.size()));
  area_ = map_area(wanted);
  jobs_.reserve(wanted);
  for (std::size_t i = 0; i < wanted; ++i) {
    jobs_.emplace_back(options_, cases_, area_, wanted, &area_->slot(i));
  }
  for (std::size_t i = 0; i < cases.size(); ++i) pending_.push_back(i);
  if (options.shuffle) {
    // Spelled out, because std::shuffle may differ between standard libraries.
    std::mt19937_64 random(*options.shuffle);
    for (std::size_t i = pending_.size(); i > 1; --i)
      std::swap(pending_[i - 1], pending_[random() % i]);
  }
  result_.cases.resize(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) result_.cases[i].name = cases[i]->name;
}

// Leaves no process behind that a candidate started and that outlived its server.
void Runner::sweep() const {
  std::vector<pid_t> servers;
  for (const Job& job : jobs_) {
    if (job.server() != 0) servers.push_back(job.server());
  }
  kill_children(servers);
}

std::optional<CaseResult> Runner::load_once() {
  Job& job = jobs_.front();
  job.start(false);
  for (;;) {
    const uint32_t seen = area_->bell;
    if (auto result = job.poll_start()) {
      sweep();
      return result;
    }
    if (Interrupt::signal() != 0) return std::nullopt;
    job.enforce(crowd_.grew());
    tell_running();
    futex_wait(area_->bell, seen, tick_ms);
  }
}

// The load as a case of its own; true where cases can run.
bool Runner::load() {
  std::optional<CaseResult> first = load_once();
  if (first && is_termination(first->verdict)) {
    const std::optional<CaseResult> second = load_once();
    if (second) first = merge_retry(*first, *second);
  }
  if (first) result_.load = std::move(*first);
  result_.load.name = "load";
  if (Interrupt::signal() != 0) return false;
  const Job& job = jobs_.front();
  if (job.state() != Job::State::Idle) return false;
  const SharedSlot& slot = job.slot();
  if (slot.shims_found == 0 && options_.candidate.has_shims) {
    result_.no_shims = true;
    result_.notes.push_back(no_shims_text(options_.candidate.prefix, slot.hint.load()));
  }
  if (slot.threads_added > 0) {
    go_cold(fmt::format("{} thread(s) run once the candidate is loaded", slot.threads_added));
  }
  return true;
}

void Runner::go_cold(const std::string& why) {
  if (all_cold_) return;
  all_cold_ = true;
  result_.notes.push_back(why + ": each case loads it into a fresh process");
}

RunResult Runner::run() {
  signal(SIGCHLD, SIG_DFL);  // an inherited SIG_IGN would lose every status
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const Interrupt interrupt;
  if (load()) {
    loop();
  } else {
    for (CaseResult& row : result_.cases) row.detail = "the candidate did not load";
  }
  for (Job& job : jobs_) job.stop();
  sweep();
  if (Interrupt::signal() != 0 && finished_ < cases_.size()) note_interrupt();
  return std::move(result_);
}

void Runner::loop() {
  auto last_look = std::chrono::steady_clock::now();
  while (finished_ < cases_.size() && Interrupt::signal() == 0) {
    const uint32_t seen = area_->bell;
    bool moved = false;
    for (Job& job : jobs_) moved = step(job) || moved;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_look >= std::chrono::milliseconds(tick_ms)) {
      last_look = now;
      const bool crowded = crowd_.grew();
      for (Job& job : jobs_) job.enforce(crowded);
      tell_running();
    }
    if (!moved) futex_wait(area_->bell, seen, tick_ms);
  }
}

// What takes long, so that nobody takes a run for dead: the case that has been running longest.
void Runner::tell_running() {
  const auto now = std::chrono::steady_clock::now();
  if (!options_.progress || now - told_ < look_at_running) return;
  told_ = now;
  const Job* longest = nullptr;
  for (const Job& job : jobs_) {
    const bool runs = job.state() == Job::State::Running || job.state() == Job::State::Starting;
    if (runs && (longest == nullptr || job.elapsed_ms() > longest->elapsed_ms())) longest = &job;
  }
  if (longest == nullptr) return;
  std::string name = "loading the candidate";
  if (longest->state() == Job::State::Running) {
    const suite::CaseRow& row = *cases_[longest->case_index()];
    name = fmt::format("{}/{}", row.clause, row.name);
  }
  options_.progress(finished_, cases_.size(), name, longest->elapsed_ms() / 1000);
}

// Cases without a verdict are SKIP, and those that were to be tried again keep their first one.
void Runner::note_interrupt() {
  const std::string signal = signal_name(Interrupt::signal());
  std::size_t judged = 0;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    CaseResult& row = result_.cases[i];
    if (row.verdict == Verdict::Skip && row.assertions == 0 && first_try_[i]) {
      row = std::move(*first_try_[i]);
      row.name = cases_[i]->name;
      row.detail += fmt::format("; {} came before the second try", signal);
    }
    const bool is_judged = row.verdict != Verdict::Skip || !row.detail.empty();
    if (is_judged && result_.load.verdict != Verdict::Skip) {
      ++judged;
    } else {
      row.detail = fmt::format("{} came first", signal);
    }
  }
  if (result_.load.verdict == Verdict::Skip) result_.load.detail = signal + " came first";
  result_.interrupted = true;
  result_.tool_errors.push_back(
      fmt::format("interrupted by {}: {} of {} cases were judged", signal, judged, cases_.size()));
}

// True where the job's state changed, so that there may be more to do at once.
bool Runner::step(Job& job) {
  const Job::State before = job.state();
  switch (before) {
    case Job::State::Starting:
      step_starting(job);
      break;
    case Job::State::Running: {
      std::string tool_error;
      if (auto result = job.poll_case(tool_error)) {
        const bool failed = is_failure(result->verdict);
        const bool unbegun = job.fork_failed() || (is_termination(result->verdict) && !job.began());
        if (unbegun && !job.cold()) {
          retry_unbegun(job, *result);
        } else if (failed && job.served() > 1) {
          alone_.insert(job.case_index());  // what went before in its process may be to blame
          pending_.push_back(job.case_index());
        } else {
          finish(job.case_index(), std::move(*result), tool_error);
        }
        if (job.waiting() && failed) job.dismiss();
        if (job.state() == Job::State::Dead) sweep();
        assign(job);
        return true;
      }
      break;
    }
    case Job::State::Leaving:
      if (job.poll_left()) assign(job);
      break;
    case Job::State::Idle:
      if (!job.poll_idle() && ++idle_deaths_ >= max_idle_deaths) {
        go_cold("the process that holds the candidate keeps ending by itself");
      }
      [[fallthrough]];
    case Job::State::Dead:
      assign(job);
      break;
  }
  return job.state() != before;
}

void Runner::step_starting(Job& job) {
  const auto load = job.poll_start();
  if (!load) return;
  if (load->verdict != Verdict::Pass) return note_bad_load(job, *load);
  load_failures_ = 0;
  assign(job);
}

void Runner::note_bad_load(Job& job, const CaseResult& load) {
  if (++load_failures_ >= max_load_failures) go_cold("the candidate loads at times only");
  job.stop();
  sweep();
  if (result_.load.verdict != Verdict::Pass) return;
  CaseResult flaky = load;
  flaky.name = result_.load.name;
  flaky.verdict = Verdict::Flaky;
  flaky.detail = fmt::format("loaded first, and a later time not: {} ({})", to_string(load.verdict),
                             load.detail);
  result_.load = std::move(flaky);
}

// The candidate broke fork() in a process that had loaded it, as its pthread_atfork handlers can.
// That is no case's fault: a process that is forked before the load does not run them.
void Runner::retry_unbegun(const Job& job, const CaseResult& result) {
  go_cold(fmt::format("a process that holds the candidate cannot fork ({})", result.detail));
  pending_.push_front(job.case_index());
}

void Runner::assign(Job& job) {
  const bool retry = pending_.empty();
  std::deque<std::size_t>& queue = retry ? retries_ : pending_;
  if (queue.empty()) return;
  const bool cold = retry || all_cold_;
  if (job.state() == Job::State::Dead || job.cold() != cold) {
    job.start(cold);
    sweep();
    return;
  }
  if (job.state() != Job::State::Idle) return;
  const std::size_t index = queue.front();
  const bool shared = !retry && options_.may_share && alone_.count(index) == 0 &&
                      options_.may_share(*cases_[index]);
  if (job.waiting() && !shared) return job.dismiss();
  queue.pop_front();
  job.run(index, shared);
}

void Runner::finish(std::size_t index, CaseResult result, const std::string& tool_error) {
  result.name = cases_[index]->name;
  if (!tool_error.empty()) {
    result_.tool_errors.push_back(
        fmt::format("case {}/{} {}", cases_[index]->clause, result.name, tool_error));
  }
  std::optional<CaseResult>& first = first_try_[index];
  if (first) {
    result = merge_retry(*first, result);
  } else if (is_termination(result.verdict) && result.verdict != Verdict::Oom) {
    // Memory is counted, not timed: filling it a second time would show nothing new.
    first = std::move(result);
    retries_.push_back(index);
    return;
  }
  result_.cases[index] = std::move(result);
  ++finished_;
  if (options_.progress) {
    options_.progress(finished_, cases_.size(),
                      fmt::format("{}/{}", cases_[index]->clause, cases_[index]->name), 0);
  }
}

}  // namespace

RunResult run_cases(const RunOptions& options, const std::vector<const suite::CaseRow*>& cases) {
  return Runner(options, cases).run();
}

}  // namespace aoti_cts::runner
