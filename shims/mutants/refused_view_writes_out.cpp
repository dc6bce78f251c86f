// clause: TENSOR.error-leaves-out
// A view that reaches outside its storage is an error that leaves a handle which points nowhere.
#include <cstddef>

#include "mutants/mutant.h"

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  const AOTITorchError error = ref_aoti_torch__reinterpret_tensor(
      self, ndim, sizes_ptr, strides_ptr, storage_offset, ret_new_tensor);
  if (error != 0 && ret_new_tensor != nullptr) {
    *ret_new_tensor = reinterpret_cast<AtenTensorHandle>(alignof(std::max_align_t));
  }
  return error;
}
