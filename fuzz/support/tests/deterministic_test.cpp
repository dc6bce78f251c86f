// Each function that the guard refuses is refused inside and works outside, and the refusal says
// what, why and how to do without.
//
//   ctest -R fuzz.deterministic      "100% tests passed"
#include "support/deterministic.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <random>
#include <string>
#include <utility>

namespace {

struct Row {
  const char* said;  ///< the call, as the refusal names it
  void (*call)();
};

char byte = 0;
timespec now{};

// NOLINTBEGIN(cert-msc30-c,cert-msc50-cpp): they are what has to be refused
const Row rows[] = {
    {"clock_gettime()", [] { (void)std::chrono::steady_clock::now(); }},
    {"timespec_get()", [] { (void)!timespec_get(&now, TIME_UTC); }},
    {"time()", [] { (void)std::time(nullptr); }},
    {"clock()", [] { (void)std::clock(); }},
    {"gettimeofday()",
     [] {
       timeval value{};
       gettimeofday(&value, nullptr);
     }},
    {"times()",
     [] {
       tms value{};
       times(&value);
     }},
    {"getrusage()",
     [] {
       rusage value{};
       getrusage(RUSAGE_SELF, &value);
     }},
    {"getrandom()", [] { (void)!getrandom(&byte, 1, 0); }},
    {"getentropy()", [] { (void)!getentropy(&byte, 1); }},
#if __GLIBC_PREREQ(2, 36)
    {"arc4random()", [] { (void)arc4random(); }},
    {"arc4random_uniform()", [] { (void)arc4random_uniform(7); }},
    {"arc4random_buf()", [] { arc4random_buf(&byte, 1); }},
#endif
    {"rand()", [] { (void)std::rand(); }},
    {"random()", [] { (void)random(); }},
    {"drand48()", [] { (void)drand48(); }},
    {"lrand48()", [] { (void)lrand48(); }},
    {"mrand48()", [] { (void)mrand48(); }},
    {"std::random_device()", [] { (void)std::random_device()(); }},
    {"open(/dev/urandom)", [] { close(open("/dev/urandom", O_RDONLY)); }},
    {"open(/dev/random)", [] { close(open("/dev/../dev/random", O_RDONLY)); }},
    {"open64(/dev/urandom)", [] { close(open64("/dev/urandom", O_RDONLY)); }},
    {"openat(/dev/urandom)", [] { close(openat(AT_FDCWD, "/dev/urandom", O_RDONLY)); }},
    {"openat64(/dev/urandom)", [] { close(openat64(AT_FDCWD, "/dev/urandom", O_RDONLY)); }},
    {"fopen(/dev/urandom)", [] { std::fclose(std::fopen("/dev/urandom", "r")); }},
    {"fopen64(/dev/urandom)", [] { std::fclose(fopen64("/dev/urandom", "r")); }},
    {"fopen64(/dev/urandom)", [] { std::ifstream("/dev/urandom").get(); }},
    {"socket()", [] { close(socket(AF_UNIX, SOCK_STREAM, 0)); }},
    {"getaddrinfo()",
     [] {
       addrinfo* found = nullptr;
       if (getaddrinfo("127.0.0.1", "80", nullptr, &found) == 0) freeaddrinfo(found);
     }},
    {"gethostbyname()", [] { (void)gethostbyname("127.0.0.1"); }},
    {"syscall(SYS_getrandom)", [] { (void)syscall(SYS_getrandom, &byte, 1, 0); }},
    {"syscall(SYS_clock_gettime)", [] { syscall(SYS_clock_gettime, CLOCK_REALTIME, &now); }},
    {"syscall(SYS_socket)",
     [] { close(static_cast<int>(syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0))); }},
};
// NOLINTEND(cert-msc30-c,cert-msc50-cpp)

std::string quoted(const std::string& text) {
  std::string pattern;
  for (const char ch : text) {
    if (ch == '(' || ch == ')' || ch == '.') pattern += '\\';
    pattern += ch;
  }
  return pattern;
}

TEST(Deterministic, RefusesInsideWithWhatWhyAndFix) {
  for (const Row& row : rows) {
    const std::string want =
        "not deterministic: " + quoted(row.said) + " was called.*\n.*why: .*\n.*fix: ";
    EXPECT_DEATH(
        {
          const aoti_cts::fuzz::Deterministic inside;
          row.call();
        },
        want)
        << row.said;
  }
}

TEST(Deterministic, LetsPassOutside) {
  { const aoti_cts::fuzz::Deterministic inside; }
  for (const Row& row : rows) row.call();
  EXPECT_GT(std::time(nullptr), 0);
}

TEST(Deterministic, LetsPassWhatOthersReadAndWhatHasASeed) {
  const aoti_cts::fuzz::Deterministic inside;
  unsigned seed = 1;
  EXPECT_EQ(rand_r(&seed), [] {
    unsigned again = 1;
    return rand_r(&again);
  }());
  std::FILE* const file = std::fopen("/dev/zero", "r");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(std::fgetc(file), 0);
  std::fclose(file);
  EXPECT_EQ(syscall(SYS_getpid), getpid());
}

TEST(Deterministic, LetsPassWhatIsExcused) {
  const aoti_cts::fuzz::Deterministic inside;
  const aoti_cts::fuzz::Excused excused;
  for (const Row& row : rows) row.call();
}

TEST(Deterministic, WhatIsExcusedIsTheSameForEachInput) {
  const auto drawn = [] {
    const aoti_cts::fuzz::Deterministic inside;
    const aoti_cts::fuzz::Excused excused;
    std::array<uint64_t, 3> values{};
    EXPECT_EQ(getrandom(values.data(), 16, 0), 16);
    EXPECT_EQ(getentropy(&values[2], 8), 0);
    return std::pair(values, getpid());
  };
  const auto first = drawn();
  EXPECT_EQ(drawn(), first);
  EXPECT_NE(first.first[0], first.first[1]);
  EXPECT_NE(first.first[1], first.first[2]);
  EXPECT_NE(first.second, getpid());
}

// What open() was given beside flags arrives.
TEST(Deterministic, AFileMadeHasItsMode) {
  const std::string path = testing::TempDir() + "aoti_cts_deterministic_mode";
  unlink(path.c_str());
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
  ASSERT_GE(file, 0);
  struct stat status {};
  EXPECT_EQ(fstat(file, &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
  close(file);
  unlink(path.c_str());
}

}  // namespace
