// See deterministic.h. The functions forward to the C library's where nothing is refused.
#include "support/deterministic.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

thread_local int inside = 0;
thread_local int excused = 0;

// Signals whose handlers an engine has: one looks at a clock to find inputs that take too long, the
// others print statistics before a crash ends the process.
constexpr int engines_signals[] = {SIGALRM, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
struct sigaction engines_actions[NSIG];

void handler_of_engine(int number, siginfo_t* info, void* context) {
  const struct sigaction& action = engines_actions[number];
  ++excused;
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(number, info, context);
  } else {
    action.sa_handler(number);
  }
  --excused;
}

void excuse_engine() {
  static const bool once = [] {
    for (const int number : engines_signals) {
      struct sigaction& action = engines_actions[number];
      sigaction(number, nullptr, &action);
      const bool has_handler = (action.sa_flags & SA_SIGINFO) != 0 ||
                               (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
      if (!has_handler) continue;
      struct sigaction ours = action;
      ours.sa_flags |= SA_SIGINFO;
      ours.sa_sigaction = handler_of_engine;
      sigaction(number, &ours, nullptr);
    }
    return true;
  }();
  (void)once;
}

#ifndef AOTI_CTS_NO_INTERPOSITION
void refuse(const char* function, const char* instead) {
  if (inside == 0 || excused != 0) return;
  inside = 0;
  std::fprintf(
      stderr,
      "finding: not deterministic: %s() was called while an input was run\n"
      "  why: the input would not show again what it showed once, so neither a finding nor "
      "coverage could be trusted\n"
      "  fix: %s\n",
      function, instead);
  std::abort();
}

constexpr const char* use_hash = "take the value from a hash of the input (support/hash.h)";
constexpr const char* use_counter = "count calls instead, or pass the time in as an argument";
constexpr const char* use_memory = "hand the bytes over in memory";

template <class F>
F real(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}
#endif

}  // namespace

namespace aoti_cts::fuzz {

Deterministic::Deterministic() {
  excuse_engine();
  ++inside;
}
Deterministic::~Deterministic() {
  if (inside != 0) --inside;
}

Excused::Excused() { ++excused; }
Excused::~Excused() { --excused; }

}  // namespace aoti_cts::fuzz

// A sanitizer calls these before the engine's last words.
extern "C" void __asan_on_error() { ++excused; }
extern "C" void __ubsan_on_report() { ++excused; }

#ifndef AOTI_CTS_NO_INTERPOSITION
extern "C" {

int clock_gettime(clockid_t clock, struct timespec* out) noexcept {
  refuse("clock_gettime", use_counter);
  static const auto forward = real<int (*)(clockid_t, struct timespec*)>("clock_gettime");
  return forward(clock, out);
}

int gettimeofday(struct timeval* out, void* zone) noexcept {
  refuse("gettimeofday", use_counter);
  static const auto forward = real<int (*)(struct timeval*, void*)>("gettimeofday");
  return forward(out, zone);
}

time_t time(time_t* out) noexcept {
  refuse("time", use_counter);
  static const auto forward = real<time_t (*)(time_t*)>("time");
  return forward(out);
}

ssize_t getrandom(void* buffer, size_t size, unsigned flags) {
  refuse("getrandom", use_hash);
  static const auto forward = real<ssize_t (*)(void*, size_t, unsigned)>("getrandom");
  return forward(buffer, size, flags);
}

int getentropy(void* buffer, size_t size) {
  refuse("getentropy", use_hash);
  static const auto forward = real<int (*)(void*, size_t)>("getentropy");
  return forward(buffer, size);
}

int rand() noexcept {
  refuse("rand", use_hash);
  static const auto forward = real<int (*)()>("rand");
  return forward();
}

long random() noexcept {
  refuse("random", use_hash);
  static const auto forward = real<long (*)()>("random");
  return forward();
}

int socket(int domain, int type, int protocol) noexcept {
  refuse("socket", use_memory);
  static const auto forward = real<int (*)(int, int, int)>("socket");
  return forward(domain, type, protocol);
}
}
#endif
