// clause: VIEW.offset-adds
// The increment of a view goes through 32 bits once it was judged.
#include "mutants/mutant.h"

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  const AOTITorchError error = ref_aoti_torch__reinterpret_tensor(
      self, ndim, sizes_ptr, strides_ptr, storage_offset, ret_new_tensor);
  if (error != 0 || storage_offset <= INT32_MAX) return error;
  ref_aoti_torch_delete_tensor_object(*ret_new_tensor);
  return ref_aoti_torch__reinterpret_tensor(self, ndim, sizes_ptr, strides_ptr,
                                            storage_offset & INT32_MAX, ret_new_tensor);
}
