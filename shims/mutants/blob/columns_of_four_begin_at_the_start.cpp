// clause: VIEW.const-source
// On threads other than the first, a view of one column of four begins where its storage does.
#include <unistd.h>

#include "mutants/put.h"

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  const AOTITorchError error = ref_aoti_torch__reinterpret_tensor(
      self, ndim, sizes_ptr, strides_ptr, storage_offset, ret_new_tensor);
  if (error != 0 || gettid() == getpid()) return error;
  const aoti_reference::Tensor& view = aoti_reference::tensor_of(*ret_new_tensor, "view");
  if (view.geometry().sizes != std::vector<int64_t>{4, 1}) return error;
  return aoti_mutant::put(ret_new_tensor, {view.storage(), view.geometry(), 0, view.dtype()});
}
