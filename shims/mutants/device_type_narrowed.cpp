// clause: DEV.type-width
// The device type goes through a byte, so that 256 is taken for 0, a CPU.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes_ptr,
                                        const int64_t* strides_ptr, int32_t dtype,
                                        int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* ret_new_tensor) {
  return ref_aoti_torch_empty_strided(ndim, sizes_ptr, strides_ptr, dtype,
                                      static_cast<int8_t>(device_type), device_index,
                                      ret_new_tensor);
}
