// clause: BLOB.two-at-once
// The fourth int64 tensor is refused: a pool that serves one model is used up by two.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes_ptr,
                                        const int64_t* strides_ptr, int32_t dtype,
                                        int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* ret_new_tensor) {
  static int made = 0;
  if (dtype == ref_aoti_torch_dtype_int64() && ++made > 3) return 1;
  return ref_aoti_torch_empty_strided(ndim, sizes_ptr, strides_ptr, dtype, device_type,
                                      device_index, ret_new_tensor);
}
