// clause: TENSOR.overflow
// empty_strided keeps the lower 24 bits of a stride.
#include <vector>

#include "mutants/mutant.h"

AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes_ptr,
                                        const int64_t* strides_ptr, int32_t dtype,
                                        int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* ret_new_tensor) {
  std::vector<int64_t> strides;
  if (ndim > 0 && ndim <= 64 && strides_ptr != nullptr)
    strides.assign(strides_ptr, strides_ptr + ndim);
  for (int64_t& stride : strides) {
    if (stride > 0) stride &= 0xFFFFFF;
  }
  return ref_aoti_torch_empty_strided(ndim, sizes_ptr,
                                      strides.empty() ? strides_ptr : strides.data(), dtype,
                                      device_type, device_index, ret_new_tensor);
}
