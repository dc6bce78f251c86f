// Spins on many threads, so that each of them waits for a processor most of the time.
#include <thread>
#include <vector>

#include "candidate.h"

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t*) {
  const auto spin = [] {
    volatile bool forever = true;
    while (forever) {
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4 * std::thread::hardware_concurrency(); ++i) threads.emplace_back(spin);
  spin();
  return 0;
}
