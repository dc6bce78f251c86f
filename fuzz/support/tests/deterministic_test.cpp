// Each function that the guard refuses is refused inside and works outside, and the refusal says
// what, why and how to do without.
//
//   ctest -R fuzz.deterministic      "100% tests passed"
#include "support/deterministic.h"

#include <gtest/gtest.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>

namespace {

struct Row {
  const char* name;
  void (*call)();
};

const Row rows[] = {
    {"clock_gettime", [] { (void)std::chrono::steady_clock::now(); }},
    {"time", [] { (void)std::time(nullptr); }},
    {"gettimeofday",
     [] {
       timeval now{};
       gettimeofday(&now, nullptr);
     }},
    {"getrandom",
     [] {
       char byte = 0;
       (void)!getrandom(&byte, 1, 0);
     }},
    {"getentropy",
     [] {
       char byte = 0;
       (void)!getentropy(&byte, 1);
     }},
    // NOLINTNEXTLINE(cert-msc30-c,cert-msc50-cpp): it is what has to be refused
    {"rand", [] { (void)std::rand(); }},
    {"random", [] { (void)random(); }},
    {"socket", [] { close(socket(AF_UNIX, SOCK_STREAM, 0)); }},
};

TEST(Deterministic, RefusesInsideWithWhatWhyAndFix) {
  for (const Row& row : rows) {
    const std::string want =
        std::string("not deterministic: ") + row.name + "\\(\\) was called.*\n.*why: .*\n.*fix: ";
    EXPECT_DEATH(
        {
          const aoti_cts::fuzz::Deterministic inside;
          row.call();
        },
        want)
        << row.name;
  }
}

TEST(Deterministic, LetsPassOutside) {
  { const aoti_cts::fuzz::Deterministic inside; }
  for (const Row& row : rows) row.call();
  EXPECT_GT(std::time(nullptr), 0);
}

}  // namespace
