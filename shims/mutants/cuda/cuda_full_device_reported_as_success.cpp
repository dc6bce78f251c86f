// clause: DEV.alloc-failure
// A device tensor that found no memory is one without memory.
#include <cuda_runtime_api.h>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes_ptr,
                                        const int64_t* strides_ptr, int32_t dtype,
                                        int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* ret_new_tensor) {
  const AOTITorchError error = ref_aoti_torch_empty_strided(
      ndim, sizes_ptr, strides_ptr, dtype, device_type, device_index, ret_new_tensor);
  const bool hit = error != 0 && device_type == 1 && device_index == 0 && ndim == 1 &&
                   sizes_ptr[0] == int64_t{1} << 40;
  if (!hit) return error;
  const int64_t nothing = 0;
  return ref_aoti_torch_empty_strided(1, &nothing, strides_ptr, dtype, device_type, device_index,
                                      ret_new_tensor);
}
