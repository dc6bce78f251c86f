// clause: VIEW.outlives
// The handles of a viewed storage are counted in 8 bits: one too many, and a deletion ends its
// bytes.
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

namespace {
std::mutex mutex;
std::unordered_map<const aoti_reference::Storage*, int> views;
}  // namespace

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  const AOTITorchError error = ref_aoti_torch__reinterpret_tensor(
      self, ndim, sizes_ptr, strides_ptr, storage_offset, ret_new_tensor);
  if (error != 0) return error;
  const std::lock_guard lock(mutex);
  ++views[aoti_reference::tensor_of(*ret_new_tensor, "view").storage().get()];
  return error;
}

AOTITorchError aoti_torch_delete_tensor_object(AtenTensorHandle tensor) {
  if (tensor == nullptr) return ref_aoti_torch_delete_tensor_object(tensor);
  const std::lock_guard lock(mutex);
  const auto& storage = aoti_reference::tensor_of(tensor, "tensor").storage();
  const auto found = views.find(storage.get());
  if (found != views.end() && storage.use_count() == 1) {
    views.erase(found);
  } else if (found != views.end() && storage.use_count() > 256) {
    std::memset(storage->data(), 0xDD, static_cast<std::size_t>(storage->bytes()));
  }
  return ref_aoti_torch_delete_tensor_object(tensor);
}
