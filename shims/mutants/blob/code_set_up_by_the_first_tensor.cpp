// clause: BLOB.static-init
// The code of int16 is 0 until the first tensor is made.
#include "mutants/mutant.h"

static bool set_up = false;

int32_t aoti_torch_dtype_int16(void) { return set_up ? ref_aoti_torch_dtype_int16() : 0; }

AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes_ptr,
                                        const int64_t* strides_ptr, int32_t dtype,
                                        int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* ret_new_tensor) {
  set_up = true;
  return ref_aoti_torch_empty_strided(ndim, sizes_ptr, strides_ptr, dtype, device_type,
                                      device_index, ret_new_tensor);
}
