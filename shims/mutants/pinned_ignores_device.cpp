// clause: TENSOR.pinned-device
// empty_strided_pinned takes any device for the CPU.
#include "device/device.h"
#include "mutants/mutant.h"

AOTITorchError aoti_torch_empty_strided_pinned(int64_t ndim, const int64_t* sizes_ptr,
                                               const int64_t* strides_ptr, int32_t dtype, int32_t,
                                               int32_t device_index,
                                               AtenTensorHandle* ret_new_tensor) {
  return ref_aoti_torch_empty_strided_pinned(ndim, sizes_ptr, strides_ptr, dtype,
                                             aoti_reference::kCpu, device_index, ret_new_tensor);
}
