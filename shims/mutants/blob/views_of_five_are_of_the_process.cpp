// clause: VIEW.thread-local-cache
// Views of five elements lie in one piece of memory, whichever thread makes them.
#include "mutants/put.h"

namespace {
alignas(64) std::byte shared[20];
}

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  const AOTITorchError error = ref_aoti_torch__reinterpret_tensor(
      self, ndim, sizes_ptr, strides_ptr, storage_offset, ret_new_tensor);
  if (error != 0) return error;
  const aoti_reference::Tensor& view = aoti_reference::tensor_of(*ret_new_tensor, "view");
  if (view.geometry().sizes != std::vector<int64_t>{5} ||
      view.dtype() != aoti_reference::DType::float32) {
    return error;
  }
  auto storage = aoti_reference::Storage::borrow(view.device(), shared, sizeof shared);
  return aoti_mutant::put(ret_new_tensor, {storage, view.geometry(), 0, view.dtype()});
}
