// clause: BLOB.runs
// The offset of a view counts from the storage's start and not from the source's own offset.
#include "mutants/mutant.h"

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  int64_t own = 0;
  if (storage_offset > 0) ref_aoti_torch_get_storage_offset(self, &own);
  return ref_aoti_torch__reinterpret_tensor(self, ndim, sizes_ptr, strides_ptr,
                                            storage_offset - own, ret_new_tensor);
}
