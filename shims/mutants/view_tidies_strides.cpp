// clause: VIEW.geometry
// The stride of a dimension of size 1 becomes 1.
#include <vector>

#include "mutants/mutant.h"

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  std::vector<int64_t> strides;
  for (int64_t dim = 0; dim < ndim && sizes_ptr != nullptr && strides_ptr != nullptr; ++dim) {
    strides.push_back(sizes_ptr[dim] == 1 ? 1 : strides_ptr[dim]);
  }
  return ref_aoti_torch__reinterpret_tensor(self, ndim, sizes_ptr,
                                            strides.empty() ? strides_ptr : strides.data(),
                                            storage_offset, ret_new_tensor);
}
