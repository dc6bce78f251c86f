// clause: TENSOR.copies-args
// The sizes of the latest tensor of create_tensor_from_blob_v2 are read from the caller's array.
#include "mutants/mutant.h"

namespace {
AtenTensorHandle latest = nullptr;
const int64_t* latest_sizes = nullptr;
}  // namespace

AOTITorchError aoti_torch_create_tensor_from_blob_v2(
    void* data, int64_t ndim, const int64_t* sizes_ptr, const int64_t* strides_ptr,
    int64_t storage_offset, int32_t dtype, int32_t device_type, int32_t device_index,
    AtenTensorHandle* ret, int32_t layout, const uint8_t* opaque_metadata,
    int64_t opaque_metadata_size) {
  const AOTITorchError error = ref_aoti_torch_create_tensor_from_blob_v2(
      data, ndim, sizes_ptr, strides_ptr, storage_offset, dtype, device_type, device_index, ret,
      layout, opaque_metadata, opaque_metadata_size);
  if (error == 0) {
    latest = *ret;
    latest_sizes = sizes_ptr;
  }
  return error;
}

AOTITorchError aoti_torch_get_sizes(AtenTensorHandle tensor, int64_t** ret_sizes) {
  const AOTITorchError error = ref_aoti_torch_get_sizes(tensor, ret_sizes);
  if (error == 0 && tensor == latest) *ret_sizes = const_cast<int64_t*>(latest_sizes);
  return error;
}

AOTITorchError aoti_torch_delete_tensor_object(AtenTensorHandle tensor) {
  if (tensor == latest) latest = nullptr;
  return ref_aoti_torch_delete_tensor_object(tensor);
}
