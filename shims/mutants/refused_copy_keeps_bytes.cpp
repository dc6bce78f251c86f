// clause: TENSOR.freed
// The text of a refused copy_ is never given back.
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "mutants/mutant.h"

AOTITorchError aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src, int32_t non_blocking) {
  static std::mutex mutex;
  static std::vector<std::unique_ptr<char[]>> kept;
  const AOTITorchError error = ref_aoti_torch_copy_(self, src, non_blocking);
  if (error == 0) return 0;
  const std::lock_guard lock(mutex);
  kept.push_back(std::make_unique<char[]>(256));
  return error;
}
