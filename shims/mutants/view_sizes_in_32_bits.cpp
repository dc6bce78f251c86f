// clause: VIEW.geometry
// The sizes of a view go through 32 bits once they were judged.
#include <algorithm>
#include <vector>

#include "mutants/mutant.h"

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  const AOTITorchError error = ref_aoti_torch__reinterpret_tensor(
      self, ndim, sizes_ptr, strides_ptr, storage_offset, ret_new_tensor);
  if (error != 0 || ndim == 0) return error;
  std::vector<int64_t> sizes(sizes_ptr, sizes_ptr + ndim);
  if (*std::max_element(sizes.begin(), sizes.end()) <= INT32_MAX) return 0;
  for (int64_t& size : sizes) size &= INT32_MAX;
  ref_aoti_torch_delete_tensor_object(*ret_new_tensor);
  return ref_aoti_torch__reinterpret_tensor(self, ndim, sizes.data(), strides_ptr, storage_offset,
                                            ret_new_tensor);
}
