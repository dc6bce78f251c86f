// What a candidate of the runner's tests does right unless its own file says otherwise: weak, so
// that the file's definition wins.
#include "candidate.h"

#define SANE(ret, name, params) extern "C" __attribute__((weak)) ret name params

SANE(int32_t, aoti_torch_device_type_cpu, (void)) { return 0; }
SANE(int32_t, aoti_torch_device_type_cuda, (void)) { return 1; }
SANE(int32_t, aoti_torch_layout_strided, (void)) { return 0; }
SANE(int32_t, aoti_torch_dtype_float32, (void)) { return 6; }

SANE(AOTITorchError, aoti_torch_get_dim, (AtenTensorHandle, int64_t* out)) {
  *out = 2;
  return 0;
}

SANE(AOTITorchError, aoti_torch_get_numel, (AtenTensorHandle, int64_t* out)) {
  *out = 6;
  return 0;
}

SANE(AOTITorchError, aoti_torch_get_storage_size, (AtenTensorHandle, int64_t* out)) {
  *out = 24;
  return 0;
}
