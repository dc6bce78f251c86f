// clause: VIEW.geometry
// A stride of 0 in a dimension of size 1 becomes 1, in views that have elements.
#include <algorithm>
#include <vector>

#include "mutants/mutant.h"

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  std::vector<int64_t> strides;
  const bool readable = ndim > 0 && ndim <= 8 && sizes_ptr != nullptr && strides_ptr != nullptr;
  if (readable && std::count(sizes_ptr, sizes_ptr + ndim, 0) == 0) {
    for (int64_t dim = 0; dim < ndim; ++dim) {
      strides.push_back(sizes_ptr[dim] == 1 && strides_ptr[dim] == 0 ? 1 : strides_ptr[dim]);
    }
    strides_ptr = strides.data();
  }
  return ref_aoti_torch__reinterpret_tensor(self, ndim, sizes_ptr, strides_ptr, storage_offset,
                                            ret_new_tensor);
}
