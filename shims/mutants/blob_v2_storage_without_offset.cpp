// clause: TENSOR.from-blob
// create_tensor_from_blob_v2 leaves the offset out of the storage size of three dimensions.
#include "mutants/put.h"

AOTITorchError aoti_torch_create_tensor_from_blob_v2(
    void* data, int64_t ndim, const int64_t* sizes_ptr, const int64_t* strides_ptr,
    int64_t storage_offset, int32_t dtype, int32_t device_type, int32_t device_index,
    AtenTensorHandle* ret, int32_t layout, const uint8_t* opaque_metadata,
    int64_t opaque_metadata_size) {
  const AOTITorchError error = ref_aoti_torch_create_tensor_from_blob_v2(
      data, ndim, sizes_ptr, strides_ptr, storage_offset, dtype, device_type, device_index, ret,
      layout, opaque_metadata, opaque_metadata_size);
  if (error != 0 || ndim != 3) return error;
  const aoti_reference::Tensor& made = aoti_reference::tensor_of(*ret, "made");
  const auto& whole = *made.storage();
  auto storage = aoti_reference::Storage::borrow(whole.device(), whole.data(), made.span_bytes());
  return aoti_mutant::put(ret, {storage, made.geometry(), made.offset(), made.dtype()});
}
