// A runtime that has a libcudart of its own linked in.
#include <aoti_shim/types.h>
#include <cuda_runtime_api.h>

extern "C" __attribute__((visibility("default"))) AOTITorchError aoti_torch_create_cuda_guard(
    int32_t device_index, CUDAGuardHandle*) {
  return cudaSetDevice(device_index);
}
