// clause: TENSOR.freed
// A view that is refused has taken a reference on the storage and does not give it back.
#include <memory>
#include <mutex>
#include <vector>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  const AOTITorchError error = ref_aoti_torch__reinterpret_tensor(
      self, ndim, sizes_ptr, strides_ptr, storage_offset, ret_new_tensor);
  static std::mutex mutex;
  static std::vector<std::shared_ptr<aoti_reference::Storage>> kept;
  const std::lock_guard lock(mutex);
  if (error != 0 && self != nullptr) {
    kept.push_back(aoti_reference::tensor_of(self, "self").storage());
  }
  return error;
}
