// clause: TENSOR.threads-shared
// On threads other than the first, a view of borrowed memory is a copy of it.
#include <unistd.h>

#include <cstring>

#include "mutants/put.h"

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  const AOTITorchError error = ref_aoti_torch__reinterpret_tensor(
      self, ndim, sizes_ptr, strides_ptr, storage_offset, ret_new_tensor);
  if (error != 0 || gettid() == getpid()) return error;
  const aoti_reference::Tensor& view = aoti_reference::tensor_of(*ret_new_tensor, "view");
  // What empty_strided made is the thread's own, as far as this fault goes.
  if (view.storage()->bytes() <= 256) return error;
  const aoti_reference::Storage& seen = *view.storage();
  auto copy = aoti_reference::Storage::allocate(seen.device(), seen.bytes());
  std::memcpy(copy->data(), seen.data(), static_cast<std::size_t>(seen.bytes()));
  return aoti_mutant::put(ret_new_tensor, {copy, view.geometry(), view.offset(), view.dtype()});
}
