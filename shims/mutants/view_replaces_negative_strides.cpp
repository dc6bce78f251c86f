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
  if (ndim > 0 && sizes_ptr != nullptr && strides_ptr != nullptr &&
      std::any_of(strides_ptr, strides_ptr + ndim, [](int64_t stride) { return stride < 0; })) {
    strides.assign(static_cast<size_t>(ndim), 1);
    for (size_t dim = strides.size() - 1; dim > 0; --dim) {
      strides[dim - 1] = strides[dim] * sizes_ptr[dim];
    }
  }
  return ref_aoti_torch__reinterpret_tensor(self, ndim, sizes_ptr,
                                            strides.empty() ? strides_ptr : strides.data(),
                                            storage_offset, ret_new_tensor);
}
