// A model that does, where the environment says so, what a model must not do to its process. No
// mutant: no clause is its own, and what is judged is that the report stays right
// (command_test.cpp).
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "entry_points.cpp"  // NOLINT(bugprone-suspicious-include)

namespace aoti_model {
namespace {

bool is_to(const char* what) {
  const char* wanted = std::getenv("AOTI_MISBEHAVES");
  return wanted != nullptr && std::string(wanted) == what;
}

[[noreturn]] void hang() {
  for (;;) pause();
}

/// Leaves a process behind that holds all that the case's holds.
void leave_a_process() {
  if (fork() == 0) hang();
}

void crash_later() {
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    raise(SIGSEGV);
  }).detach();
  std::this_thread::sleep_for(std::chrono::seconds(1));
}

class Misbehaves : public Model {
 public:
  Misbehaves() {
    if (is_to("exit in create")) std::exit(0);
  }
  ~Misbehaves() override {
    if (is_to("abort in delete")) std::abort();
  }

  void run(std::vector<Handle>& /*inputs*/, AtenTensorHandle* outputs) override {
    if (is_to("abort")) std::abort();
    if (is_to("exit")) _exit(0);
    if (is_to("stop")) raise(SIGSTOP);
    if (is_to("kill its parent")) kill(getppid(), SIGKILL);
    if (is_to("fork")) leave_a_process();
    if (is_to("crash later")) crash_later();
    for (int i = 0; is_to("close") && i < 1024; ++i) close(i);
    for (int i = 0; is_to("print") && i < 1000; ++i) std::puts("{\"noise\": 1}");
    Handle result = empty_strided({4}, {1});
    for (int64_t i = 0; i < 4; ++i) result.data()[i] = 1;
    outputs[0] = result.release();
  }
};

/// As a library is loaded.
const bool loaded = [] {
  if (is_to("hang at load")) hang();
  return true;
}();

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(Misbehaves, 0, 1)
