// clause: TENSOR.alignment
// Memory from empty_strided is aligned to 8 bytes and no more.
#include "mutants/put.h"

AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes_ptr,
                                        const int64_t* strides_ptr, int32_t dtype,
                                        int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* ret_new_tensor) {
  const AOTITorchError error = ref_aoti_torch_empty_strided(
      ndim, sizes_ptr, strides_ptr, dtype, device_type, device_index, ret_new_tensor);
  if (error != 0) return error;
  const aoti_reference::Tensor& made = aoti_reference::tensor_of(*ret_new_tensor, "made");
  const int64_t bytes = made.storage()->bytes();
  if (bytes == 0 || made.device().type != aoti_reference::kCpu) return 0;
  auto block = aoti_reference::Storage::allocate(made.device(), bytes + 8);
  auto part = aoti_reference::Storage::borrow(made.device(), block->data() + 8, bytes);
  std::shared_ptr<aoti_reference::Storage> both(part.get(), [block, part](void*) {});
  return aoti_mutant::put(ret_new_tensor, {both, made.geometry(), 0, made.dtype()});
}
