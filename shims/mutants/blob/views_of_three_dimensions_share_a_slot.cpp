// clause: VIEW.temporary-in-array
// A view of three dimensions becomes what the next such view is, where it still lives.
#include <new>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

namespace {
thread_local AtenTensorHandle slot = nullptr;
}

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  const AOTITorchError error = ref_aoti_torch__reinterpret_tensor(
      self, ndim, sizes_ptr, strides_ptr, storage_offset, ret_new_tensor);
  if (error != 0 || ndim != 3) return error;
  if (slot != nullptr) {
    auto* earlier = reinterpret_cast<aoti_reference::Tensor*>(slot);
    earlier->~Tensor();
    new (earlier) aoti_reference::Tensor(aoti_reference::tensor_of(*ret_new_tensor, "view"));
  }
  slot = *ret_new_tensor;
  return error;
}

AOTITorchError aoti_torch_delete_tensor_object(AtenTensorHandle tensor) {
  if (tensor == slot) slot = nullptr;
  return ref_aoti_torch_delete_tensor_object(tensor);
}
