// clause: TENSOR.empty
// The storage of empty_strided is rounded up to a multiple of 64 bytes.
#include "mutants/put.h"

AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes_ptr,
                                        const int64_t* strides_ptr, int32_t dtype,
                                        int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* ret_new_tensor) {
  const AOTITorchError error = ref_aoti_torch_empty_strided(
      ndim, sizes_ptr, strides_ptr, dtype, device_type, device_index, ret_new_tensor);
  if (error != 0) return error;
  const aoti_reference::Tensor& made = aoti_reference::tensor_of(*ret_new_tensor, "made");
  const int64_t rounded = (made.storage()->bytes() + 63) / 64 * 64;
  auto storage = aoti_reference::Storage::allocate(made.device(), rounded);
  return aoti_mutant::put(ret_new_tensor, {storage, made.geometry(), 0, made.dtype()});
}
