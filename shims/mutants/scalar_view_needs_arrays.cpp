// clause: TENSOR.scalar
// _reinterpret_tensor refuses null sizes and strides of a scalar.
#include "mutants/mutant.h"

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  if (sizes_ptr == nullptr || strides_ptr == nullptr) return 1;
  return ref_aoti_torch__reinterpret_tensor(self, ndim, sizes_ptr, strides_ptr, storage_offset,
                                            ret_new_tensor);
}
