// See deterministic.h. The functions forward to the C library's where nothing is refused.
#include "support/deterministic.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "support/hash.h"

namespace {

thread_local int inside = 0;
thread_local int excused = 0;
thread_local int fixed = 0;
thread_local aoti_cts::fuzz::Random fixed_random(1);

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
void refuse(const char* function, const char* argument, const char* instead) {
  if (inside == 0 || excused != 0) return;
  inside = 0;
  std::fprintf(
      stderr,
      "finding: not deterministic: %s(%s) was called while an input was run\n"
      "  why: the input would not show again what it showed once, so neither a finding nor "
      "coverage could be trusted\n"
      "  fix: %s\n",
      function, argument, instead);
  std::abort();
}

void refuse(const char* function, const char* instead) { refuse(function, "", instead); }

constexpr const char* use_hash = "take the value from a hash of the input (support/hash.h)";
constexpr const char* use_counter = "count calls instead, or pass the time in as an argument";
constexpr const char* use_memory = "hand the bytes over in memory";

template <class F>
F real(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

/// Refuses the two devices that random numbers are read from, by whatever name they were opened.
void opened(const char* function, int file) {
  if (inside == 0 || excused != 0 || file < 0) return;
  struct stat status {};
  if (fstat(file, &status) != 0 || !S_ISCHR(status.st_mode) || major(status.st_rdev) != 1) return;
  if (minor(status.st_rdev) == 8) refuse(function, "/dev/random", use_hash);
  if (minor(status.st_rdev) == 9) refuse(function, "/dev/urandom", use_hash);
}

/// The next bytes of the fixed sequence.
ssize_t fill(void* buffer, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    static_cast<uint8_t*>(buffer)[i] = static_cast<uint8_t>(fixed_random.next());
  }
  return static_cast<ssize_t>(size);
}

bool takes_mode(int flags) { return (flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) != 0; }
#endif

}  // namespace

namespace aoti_cts::fuzz {

void note_input(const uint8_t* data, size_t size) {
  static std::FILE* const out = [] {
    const char* const path = std::getenv("AOTI_CTS_FUZZ_DIGEST");
    if (path == nullptr) return static_cast<std::FILE*>(nullptr);
    std::FILE* const file = std::fopen(path, "w");
    if (file == nullptr) {
      std::fprintf(stderr, "AOTI_CTS_FUZZ_DIGEST: %s cannot be written\n", path);
      std::exit(2);
    }
    return file;
  }();
  if (out == nullptr) return;
  static uint64_t number = 0;
  static uint64_t digest = 0;
  digest = (digest ^ hash_of(data, size)) * 0x100000001b3u;
  std::fprintf(out, "%" PRIu64 " %zu %016" PRIx64 "\n", ++number, size, digest);
}

Deterministic::Deterministic() {
  excuse_engine();
  if (inside == 0) fixed_random = Random(1);
  ++inside;
}
Deterministic::~Deterministic() {
  if (inside != 0) --inside;
}

Excused::Excused() {
  ++excused;
  ++fixed;
}
Excused::~Excused() {
  --excused;
  --fixed;
}

}  // namespace aoti_cts::fuzz

// A sanitizer calls these before the engine's last words.
extern "C" void __asan_on_error() { ++excused; }
extern "C" void __ubsan_on_report() { ++excused; }

#ifndef AOTI_CTS_NO_INTERPOSITION
extern "C" {

// --- clocks

int clock_gettime(clockid_t clock, struct timespec* out) noexcept {
  refuse("clock_gettime", use_counter);
  static const auto forward = real<int (*)(clockid_t, struct timespec*)>("clock_gettime");
  return forward(clock, out);
}

int timespec_get(struct timespec* out, int base) noexcept {
  refuse("timespec_get", use_counter);
  static const auto forward = real<int (*)(struct timespec*, int)>("timespec_get");
  return forward(out, base);
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

clock_t clock() noexcept {
  refuse("clock", use_counter);
  static const auto forward = real<clock_t (*)()>("clock");
  return forward();
}

clock_t times(struct tms* out) noexcept {
  refuse("times", use_counter);
  static const auto forward = real<clock_t (*)(struct tms*)>("times");
  return forward(out);
}

int getrusage(__rusage_who_t who, struct rusage* out) noexcept {
  refuse("getrusage", use_counter);
  static const auto forward = real<int (*)(__rusage_who_t, struct rusage*)>("getrusage");
  return forward(who, out);
}

// --- random numbers; those whose state is the caller's (rand_r, erand48) are as deterministic as
// he

ssize_t getrandom(void* buffer, size_t size, unsigned flags) {
  refuse("getrandom", use_hash);
  if (fixed != 0) return fill(buffer, size);
  static const auto forward = real<ssize_t (*)(void*, size_t, unsigned)>("getrandom");
  return forward(buffer, size, flags);
}

int getentropy(void* buffer, size_t size) {
  refuse("getentropy", use_hash);
  if (fixed != 0) return fill(buffer, size), 0;
  static const auto forward = real<int (*)(void*, size_t)>("getentropy");
  return forward(buffer, size);
}

// Not refused: what is made for a process alone may have its number.
pid_t getpid() noexcept {
  if (fixed != 0) return 12345;
  static const auto forward = real<pid_t (*)()>("getpid");
  return forward();
}

#if __GLIBC_PREREQ(2, 36)
uint32_t arc4random() noexcept {
  refuse("arc4random", use_hash);
  static const auto forward = real<uint32_t (*)()>("arc4random");
  return forward();
}

uint32_t arc4random_uniform(uint32_t limit) noexcept {
  refuse("arc4random_uniform", use_hash);
  static const auto forward = real<uint32_t (*)(uint32_t)>("arc4random_uniform");
  return forward(limit);
}

void arc4random_buf(void* buffer, size_t size) noexcept {
  refuse("arc4random_buf", use_hash);
  static const auto forward = real<void (*)(void*, size_t)>("arc4random_buf");
  return forward(buffer, size);
}
#endif

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

double drand48() noexcept {
  refuse("drand48", use_hash);
  static const auto forward = real<double (*)()>("drand48");
  return forward();
}

long lrand48() noexcept {
  refuse("lrand48", use_hash);
  static const auto forward = real<long (*)()>("lrand48");
  return forward();
}

long mrand48() noexcept {
  refuse("mrand48", use_hash);
  static const auto forward = real<long (*)()>("mrand48");
  return forward();
}

// std::random_device of libstdc++, which takes an instruction where the processor has one.
unsigned random_device_value(void* self) __asm__("_ZNSt13random_device9_M_getvalEv");
unsigned random_device_value(void* self) {
  refuse("std::random_device", use_hash);
  static const auto forward = real<unsigned (*)(void*)>("_ZNSt13random_device9_M_getvalEv");
  return forward(self);
}

// --- files: /dev/random and /dev/urandom

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = takes_mode(flags) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  static const auto forward = real<int (*)(const char*, int, ...)>("open");
  const int file = forward(path, flags, mode);
  opened("open", file);
  return file;
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = takes_mode(flags) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  static const auto forward = real<int (*)(const char*, int, ...)>("open64");
  const int file = forward(path, flags, mode);
  opened("open64", file);
  return file;
}

int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = takes_mode(flags) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  static const auto forward = real<int (*)(int, const char*, int, ...)>("openat");
  const int file = forward(folder, path, flags, mode);
  opened("openat", file);
  return file;
}

int openat64(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = takes_mode(flags) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  static const auto forward = real<int (*)(int, const char*, int, ...)>("openat64");
  const int file = forward(folder, path, flags, mode);
  opened("openat64", file);
  return file;
}

std::FILE* fopen(const char* path, const char* mode) {
  static const auto forward = real<std::FILE* (*)(const char*, const char*)>("fopen");
  std::FILE* const file = forward(path, mode);
  if (file != nullptr) opened("fopen", fileno(file));
  return file;
}

std::FILE* fopen64(const char* path, const char* mode) {
  static const auto forward = real<std::FILE* (*)(const char*, const char*)>("fopen64");
  std::FILE* const file = forward(path, mode);
  if (file != nullptr) opened("fopen64", fileno(file));
  return file;
}

// --- the network

int socket(int domain, int type, int protocol) noexcept {
  refuse("socket", use_memory);
  static const auto forward = real<int (*)(int, int, int)>("socket");
  return forward(domain, type, protocol);
}

int getaddrinfo(const char* host, const char* service, const struct addrinfo* hints,
                struct addrinfo** out) {
  refuse("getaddrinfo", use_memory);
  static const auto forward =
      real<int (*)(const char*, const char*, const struct addrinfo*, struct addrinfo**)>(
          "getaddrinfo");
  return forward(host, service, hints, out);
}

struct hostent* gethostbyname(const char* host) {
  refuse("gethostbyname", use_memory);
  static const auto forward = real<struct hostent* (*)(const char*)>("gethostbyname");
  return forward(host);
}

// --- any of them by its number

// Six arguments are read, as the C library's does, though most callers give fewer.
__attribute__((no_sanitize("address"))) long syscall(long number, ...) noexcept {
  va_list rest;
  va_start(rest, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_getrandom) refuse("syscall", "SYS_getrandom", use_hash);
  if (number == SYS_clock_gettime) refuse("syscall", "SYS_clock_gettime", use_counter);
  if (number == SYS_socket) refuse("syscall", "SYS_socket", use_memory);
  static const auto forward = real<long (*)(long, ...)>("syscall");
  return forward(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                 arguments[5]);
}
}
#endif
