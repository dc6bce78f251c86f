// The rest of a runtime whose other half is bare_few; its device_type_cpu is wrong.
#include "candidate.h"

int32_t aoti_torch_device_type_cpu(void) { return 99; }
int32_t aoti_torch_device_type_cuda(void) { return 1; }
int32_t aoti_torch_layout_strided(void) { return 0; }
int32_t aoti_torch_dtype_float32(void) { return 6; }

AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t* out) {
  *out = 2;
  return 0;
}

AOTITorchError aoti_torch_get_numel(AtenTensorHandle, int64_t* out) {
  *out = 6;
  return 0;
}

AOTITorchError aoti_torch_get_storage_size(AtenTensorHandle, int64_t* out) {
  *out = 24;
  return 0;
}
