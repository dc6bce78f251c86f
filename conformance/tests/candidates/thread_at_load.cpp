// Leaves a thread running at load; a fork would lose it, and a shim needs it.
#include <atomic>
#include <thread>

#include "candidate.h"

static std::atomic<int> asked{0};
static std::atomic<int> answered{0};

AT_LOAD {
  std::thread([] {
    for (;;) {
      if (asked.load() != answered.load()) answered.store(asked.load());
      std::this_thread::yield();
    }
  }).detach();
}

// Hangs in a forked copy of the process, where the thread does not exist.
AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t* out) {
  const int ticket = ++asked;
  while (answered.load() < ticket) std::this_thread::yield();
  *out = 2;
  return 0;
}
