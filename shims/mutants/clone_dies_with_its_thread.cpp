// clause: TENSOR.threads
// What a thread other than the first has cloned is overwritten when that thread ends.
#include <unistd.h>

#include <cstring>
#include <memory>
#include <vector>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

namespace {
struct Pool {
  std::vector<std::weak_ptr<aoti_reference::Storage>> storages;
  ~Pool() {
    for (const auto& weak : storages) {
      const auto storage = weak.lock();
      if (!storage || storage->bytes() == 0) continue;
      std::memset(storage->data(), 0xDD, static_cast<std::size_t>(storage->bytes()));
    }
  }
};
thread_local Pool pool;
}  // namespace

AOTITorchError aoti_torch_clone(AtenTensorHandle self, AtenTensorHandle* ret) {
  const AOTITorchError error = ref_aoti_torch_clone(self, ret);
  if (error == 0 && gettid() != getpid()) {
    pool.storages.emplace_back(aoti_reference::tensor_of(*ret, "ret").storage());
  }
  return error;
}
