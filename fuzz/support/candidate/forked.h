// A candidate that may crash, in a process of its own: a server that takes input after input, and
// that is started anew after each crash. About as fast as in process, as a fork is paid per crash.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>

#include "support/candidate/compare.h"

namespace aoti_cts::fuzz {

class Forked {
 public:
  using Compare = std::function<Divergence(const uint8_t* data, size_t size)>;

  /// @param compare  is called in the server
  explicit Forked(Compare compare);
  ~Forked();
  Forked(const Forked&) = delete;
  Forked& operator=(const Forked&) = delete;

  /// A crash, an exit or more than five seconds is a divergence of kind "crash".
  Divergence run(const uint8_t* data, size_t size, const Reference& reference);

 private:
  struct Shared;
  void start();
  void stop();
  [[noreturn]] void serve(int from, int to);

  Compare compare_;
  Shared* shared_ = nullptr;
  pid_t server_ = -1;
  int to_server_ = -1;
  int from_server_ = -1;
};

}  // namespace aoti_cts::fuzz
