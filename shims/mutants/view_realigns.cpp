// clause: VIEW.exact-pointer
// A view of memory that is misaligned for its dtype gets an aligned copy.
#include "mutants/replace.h"

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  const AOTITorchError error = ref_aoti_torch__reinterpret_tensor(
      self, ndim, sizes_ptr, strides_ptr, storage_offset, ret_new_tensor);
  if (error != 0) return error;
  const aoti_reference::Tensor& view = aoti_reference::tensor_of(*ret_new_tensor, "view");
  const auto address = reinterpret_cast<std::uintptr_t>(view.data());
  if (address % static_cast<std::uintptr_t>(aoti_reference::item_size(view.dtype())) != 0) {
    aoti_mutant::replace(ret_new_tensor, aoti_mutant::copy_of(*view.storage(), view.device()),
                         view.dtype());
  }
  return error;
}
