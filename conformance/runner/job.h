// One job of the main process: a fork server, the case that it runs now, and the limits on both.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "runner/outcome.h"
#include "runner/run.h"
#include "runner/server.h"

namespace aoti_cts::runner {

/// Seen from the main process; it never blocks on a server. A job is Dead (no server), Starting (a
/// server is loading the candidate), Idle, Running or Leaving (a process that served several cases
/// is to end).
class Job {
 public:
  enum class State { Dead, Starting, Idle, Running, Leaving };

  Job(const RunOptions& options, const std::vector<const suite::CaseRow*>& cases, SharedArea* area,
      std::size_t slots, SharedSlot* slot);
  Job(Job&& other) noexcept;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  Job& operator=(Job&&) = delete;
  ~Job();

  /// Starts a server; the state becomes Starting. `cold` as in ServerPlan.
  void start(bool cold);
  /// Starts a case on an idle server; with `shared`, in the process that is waiting for one, if
  /// any, and such that it waits for another one afterwards. Without, none may be waiting.
  void run(std::size_t case_index, bool shared);
  /// Whether a process waits for another case.
  bool waiting() const { return waiting_; }
  /// Ends the process that waits; the state becomes Leaving.
  void dismiss();
  /// Leaving: whether the process has gone; the job is Idle then.
  bool poll_left();
  /// How many cases the process of the last one had served, that one counted.
  int served() const { return served_; }
  /// Ends the server and all that it started; the state becomes Dead.
  void stop();

  /// Starting: the verdict on the load once there is one, PASS or worse; a failed load leaves the
  /// job Dead.
  std::optional<CaseResult> poll_start();
  /// Running: the verdict on the case once there is one. `tool_error` as in collect().
  std::optional<CaseResult> poll_case(std::string& tool_error);
  /// Whether the last case got as far as code of the candidate or its own; if not, what ended it is
  /// not its doing.
  bool began() const;
  /// Whether the server could not fork for the last case.
  bool fork_failed() const { return slot_->fork_errno != 0 && !began(); }
  /// Idle: whether the server is still there; if not, the job becomes Dead.
  bool poll_idle();
  /// Kills what is over its limits; for every few milliseconds. `crowded`: whether it is worth to
  /// count processes.
  void enforce(bool crowded);
  /// Starting or Running: milliseconds since that began.
  double elapsed_ms() const;

  State state() const { return state_; }
  bool cold() const { return plan_.cold; }
  std::size_t case_index() const { return case_; }
  pid_t server() const { return server_; }
  const SharedSlot& slot() const { return *slot_; }

 private:
  using Clock = std::chrono::steady_clock;

  bool server_ended(int& status);
  void kill_case();
  int stopped_by() const;
  void limit(Verdict verdict, std::string text);
  uint64_t private_now();
  uint64_t with_started(pid_t pid, uint64_t own, uint64_t base);
  void finish(CaseResult& result);
  void clear_output() const;
  std::string output_tail() const;
  pid_t watched() const;
  double waited_ms() const;
  std::string waited_text() const;
  void notice_step();
  double step_ms() const;
  bool over_time() const;

  const RunOptions& options_;
  ServerPlan plan_;
  SharedSlot* slot_;
  State state_ = State::Dead;
  pid_t server_ = 0;
  uint64_t inherited_ = 0;  ///< private bytes of this process when the server was forked
  std::size_t case_ = 0;
  bool waiting_ = false;
  int served_ = 0;
  Clock::time_point started_;
  Clock::time_point step_started_;  ///< a case of one step has started its step with itself
  uint64_t steps_ = 0;
  double queued_before_ms_ = 0;
  double others_before_ms_ = 0;
  std::vector<pid_t> helpers_;  ///< below the server before the case began
  Clock::time_point counted_;   ///< when the memory of what the case started was looked at
  std::optional<Kill> kill_;
  Clock::time_point killed_;
};

}  // namespace aoti_cts::runner
