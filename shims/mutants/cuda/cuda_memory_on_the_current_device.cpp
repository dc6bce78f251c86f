// clause: DEV.reported-index
// Memory asked for on device 0 comes from the device that is current, and device 0 is reported.
#include <cuda_runtime_api.h>

#include "mutants/put.h"

AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes_ptr,
                                        const int64_t* strides_ptr, int32_t dtype,
                                        int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* ret_new_tensor) {
  int current = 0;
  const bool on_0 = device_type == 1 && device_index == 0;
  if (on_0 && cudaGetDevice(&current) != cudaSuccess) return 1;
  const bool hit = on_0 && current != 0;
  const AOTITorchError error =
      ref_aoti_torch_empty_strided(ndim, sizes_ptr, strides_ptr, dtype, device_type,
                                   hit ? current : device_index, ret_new_tensor);
  if (error != 0 || !hit) return error;
  const aoti_reference::Tensor& made = aoti_reference::tensor_of(*ret_new_tensor, "ret");
  // The real storage stays alive for ever; the one that is reported only borrows it.
  static auto& kept = *new std::vector<std::shared_ptr<aoti_reference::Storage>>;
  kept.push_back(made.storage());
  auto lie = aoti_reference::Storage::borrow({aoti_reference::kCuda, 0}, made.storage()->data(),
                                             made.storage()->bytes());
  return aoti_mutant::put(ret_new_tensor,
                          aoti_reference::Tensor(lie, made.geometry(), 0, made.dtype()));
}
