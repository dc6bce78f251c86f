// clause: VIEW.bounds
// A view that reaches behind its storage is granted.
#include "mutants/replace.h"

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  if (ref_aoti_torch__reinterpret_tensor(self, ndim, sizes_ptr, strides_ptr, storage_offset,
                                         ret_new_tensor) == 0) {
    return 0;
  }
  return aoti_reference::guarded(__func__, [&] {
    aoti_reference::require_not_null(ret_new_tensor, "ret_new_tensor");
    const aoti_reference::Tensor& source = aoti_reference::tensor_of(self, "self");
    const int64_t offset = aoti_reference::checked_add(source.offset(), storage_offset, "offset");
    if (offset < 0) aoti_reference::refuse("offset", offset, "at least 0");
    *ret_new_tensor = aoti_reference::release_handle(std::make_unique<aoti_reference::Tensor>(
        source.storage(), aoti_reference::read_geometry(ndim, sizes_ptr, strides_ptr), offset,
        source.dtype()));
  });
}
