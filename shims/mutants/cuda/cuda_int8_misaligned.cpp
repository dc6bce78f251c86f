// clause: TENSOR.alignment-device
// Device tensors of 17 int8 begin one byte after the start of their memory.
#include "mutants/put.h"

AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes_ptr,
                                        const int64_t* strides_ptr, int32_t dtype,
                                        int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* ret_new_tensor) {
  const bool hit = device_type == 1 && dtype == 1 && ndim == 1 && sizes_ptr[0] == 17;
  const int64_t size = hit ? sizes_ptr[0] + 1 : 0;
  const AOTITorchError error = ref_aoti_torch_empty_strided(
      ndim, hit ? &size : sizes_ptr, strides_ptr, dtype, device_type, device_index, ret_new_tensor);
  if (error != 0 || !hit) return error;
  const aoti_reference::Tensor& made = aoti_reference::tensor_of(*ret_new_tensor, "ret");
  const auto geometry = aoti_reference::read_geometry(ndim, sizes_ptr, strides_ptr);
  return aoti_mutant::put(ret_new_tensor, aoti_reference::Tensor(made.storage(), geometry, 1,
                                                                 aoti_reference::DType::int8));
}
