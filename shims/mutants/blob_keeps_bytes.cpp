// clause: TENSOR.freed
// Each handle of create_tensor_from_blob costs 64 bytes that its deletion does not give back.
#include "mutants/keep.h"

AOTITorchError aoti_torch_create_tensor_from_blob(void* data, int64_t ndim,
                                                  const int64_t* sizes_ptr,
                                                  const int64_t* strides_ptr,
                                                  int64_t storage_offset, int32_t dtype,
                                                  int32_t device_type, int32_t device_index,
                                                  AtenTensorHandle* ret) {
  return aoti_mutant::keep_bytes(ref_aoti_torch_create_tensor_from_blob(
      data, ndim, sizes_ptr, strides_ptr, storage_offset, dtype, device_type, device_index, ret));
}
