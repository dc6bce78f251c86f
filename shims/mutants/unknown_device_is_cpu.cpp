// clause: DEV.unknown-type
// A device type that the runtime does not know falls back to the CPU.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes_ptr,
                                        const int64_t* strides_ptr, int32_t dtype,
                                        int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* ret_new_tensor) {
  const bool unknown = device_type > 1 && device_type <= 127;
  return ref_aoti_torch_empty_strided(ndim, sizes_ptr, strides_ptr, dtype,
                                      unknown ? 0 : device_type, device_index, ret_new_tensor);
}
