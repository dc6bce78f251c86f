// clause: DEV.no-device
// Without a device, a CUDA tensor is made on the CPU.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes_ptr,
                                        const int64_t* strides_ptr, int32_t dtype,
                                        int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* ret_new_tensor) {
  return ref_aoti_torch_empty_strided(ndim, sizes_ptr, strides_ptr, dtype,
                                      device_type == 1 ? 0 : device_type, device_index,
                                      ret_new_tensor);
}
