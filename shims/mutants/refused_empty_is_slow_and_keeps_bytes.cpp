// clause: TENSOR.freed
// The text of a refused empty_strided takes long to make, so few are made, and is never given back.
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "mutants/mutant.h"

AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes_ptr,
                                        const int64_t* strides_ptr, int32_t dtype,
                                        int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* ret_new_tensor) {
  static std::mutex mutex;
  static std::vector<std::unique_ptr<char[]>> kept;
  const AOTITorchError error = ref_aoti_torch_empty_strided(
      ndim, sizes_ptr, strides_ptr, dtype, device_type, device_index, ret_new_tensor);
  if (error == 0) return 0;
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  const std::lock_guard lock(mutex);
  kept.push_back(std::make_unique<char[]>(256));
  return error;
}
