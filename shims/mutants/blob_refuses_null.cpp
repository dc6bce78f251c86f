// clause: TENSOR.from-blob-null-empty
// create_tensor_from_blob refuses null data whatever the number of elements.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_create_tensor_from_blob(void* data, int64_t ndim,
                                                  const int64_t* sizes_ptr,
                                                  const int64_t* strides_ptr,
                                                  int64_t storage_offset, int32_t dtype,
                                                  int32_t device_type, int32_t device_index,
                                                  AtenTensorHandle* ret) {
  if (data == nullptr) return 1;
  return ref_aoti_torch_create_tensor_from_blob(data, ndim, sizes_ptr, strides_ptr, storage_offset,
                                                dtype, device_type, device_index, ret);
}
