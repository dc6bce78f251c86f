// clause: TENSOR.threads
// On threads other than the first, empty_strided hands out one and the same memory.
#include <unistd.h>

#include "mutants/put.h"

namespace {
alignas(64) std::byte scratch[4096];
bool on_first_thread() { return gettid() == getpid(); }
}  // namespace

AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes_ptr,
                                        const int64_t* strides_ptr, int32_t dtype,
                                        int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* ret_new_tensor) {
  const AOTITorchError error = ref_aoti_torch_empty_strided(
      ndim, sizes_ptr, strides_ptr, dtype, device_type, device_index, ret_new_tensor);
  if (error != 0 || on_first_thread()) return error;
  const aoti_reference::Tensor& made = aoti_reference::tensor_of(*ret_new_tensor, "made");
  const int64_t bytes = made.storage()->bytes();
  if (bytes == 0 || bytes > static_cast<int64_t>(sizeof scratch)) return error;
  auto storage = aoti_reference::Storage::borrow(made.device(), scratch, bytes);
  return aoti_mutant::put(ret_new_tensor, {storage, made.geometry(), 0, made.dtype()});
}
