// clause: VIEW.negative
// Strides of which one is negative are replaced by contiguous ones, as libtorch does.
#include <algorithm>
#include <vector>

#include "mutants/mutant.h"

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  std::vector<int64_t> strides;
  const bool readable = ndim > 0 && ndim <= 8 && sizes_ptr != nullptr && strides_ptr != nullptr;
  if (readable && *std::min_element(strides_ptr, strides_ptr + ndim) < 0) {
    strides.assign(static_cast<size_t>(ndim), 1);
    for (size_t dim = strides.size() - 1; dim > 0; --dim) {
      strides[dim - 1] = strides[dim] * sizes_ptr[dim];
    }
    strides_ptr = strides.data();
  }
  return ref_aoti_torch__reinterpret_tensor(self, ndim, sizes_ptr, strides_ptr, storage_offset,
                                            ret_new_tensor);
}
