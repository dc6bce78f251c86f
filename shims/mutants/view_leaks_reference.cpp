// clause: VIEW.outlives
// A view takes two references on its storage and its deletion gives back one.
#include <mutex>

#include "mutants/replace.h"

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  const AOTITorchError error = ref_aoti_torch__reinterpret_tensor(
      self, ndim, sizes_ptr, strides_ptr, storage_offset, ret_new_tensor);
  if (error != 0) return error;
  const aoti_reference::Tensor& view = aoti_reference::tensor_of(*ret_new_tensor, "view");
  static std::mutex mutex;  // its fault is the reference alone, not that threads race for the list
  static std::vector<std::shared_ptr<aoti_reference::Storage>> taken;
  const std::lock_guard lock(mutex);
  taken.push_back(view.storage());
  return error;
}
