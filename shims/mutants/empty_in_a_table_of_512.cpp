// clause: TENSOR.empty
// What empty_strided has made lies in a table of 512 rows, and the next one is refused.
#include <mutex>
#include <unordered_set>

#include "mutants/mutant.h"

namespace {
std::mutex mutex;
std::unordered_set<AtenTensorHandle> table;
}  // namespace

AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes_ptr,
                                        const int64_t* strides_ptr, int32_t dtype,
                                        int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* ret_new_tensor) {
  const std::lock_guard lock(mutex);
  if (table.size() >= 512) return 1;
  const AOTITorchError error = ref_aoti_torch_empty_strided(
      ndim, sizes_ptr, strides_ptr, dtype, device_type, device_index, ret_new_tensor);
  if (error == 0) table.insert(*ret_new_tensor);
  return error;
}

AOTITorchError aoti_torch_delete_tensor_object(AtenTensorHandle tensor) {
  const std::lock_guard lock(mutex);
  table.erase(tensor);
  return ref_aoti_torch_delete_tensor_object(tensor);
}
