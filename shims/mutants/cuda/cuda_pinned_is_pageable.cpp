// clause: TENSOR.pinned-page-locked
// Pinned memory is the C library's, although there is a device.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_empty_strided_pinned(int64_t ndim, const int64_t* sizes_ptr,
                                               const int64_t* strides_ptr, int32_t dtype,
                                               int32_t device_type, int32_t device_index,
                                               AtenTensorHandle* ret_new_tensor) {
  if (device_type != 0) return 1;
  return ref_aoti_torch_empty_strided(ndim, sizes_ptr, strides_ptr, dtype, device_type,
                                      device_index, ret_new_tensor);
}
