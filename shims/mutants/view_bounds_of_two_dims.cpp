// clause: VIEW.bounds
// The bounds of a view are judged by its last two dimensions.
#include <memory>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  const AOTITorchError error = ref_aoti_torch__reinterpret_tensor(
      self, ndim, sizes_ptr, strides_ptr, storage_offset, ret_new_tensor);
  const bool readable = self != nullptr && sizes_ptr != nullptr && strides_ptr != nullptr;
  if (error == 0 || !readable || ret_new_tensor == nullptr || ndim < 3) return error;
  using aoti_reference::read_geometry;
  try {
    const aoti_reference::Tensor& source = aoti_reference::tensor_of(self, "self");
    const aoti_reference::Geometry all = read_geometry(ndim, sizes_ptr, strides_ptr);
    const int64_t skipped = ndim - 2;
    aoti_reference::make_view(source, read_geometry(2, sizes_ptr + skipped, strides_ptr + skipped),
                              storage_offset);
    extent(all);
    *ret_new_tensor = aoti_reference::release_handle(std::make_unique<aoti_reference::Tensor>(
        source.storage(), all, source.offset() + storage_offset, source.dtype()));
  } catch (...) {
    return error;
  }
  return 0;
}
