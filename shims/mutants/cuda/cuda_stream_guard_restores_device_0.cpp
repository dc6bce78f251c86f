// clause: DEV.stream-guard-device
// A stream guard that was made while a third device was current leaves device 0 current.
#include <cuda_runtime_api.h>

#include <set>

#include "mutants/mutant.h"

namespace {
thread_local std::set<CUDAStreamGuardHandle> from_elsewhere;
}

AOTITorchError aoti_torch_create_cuda_stream_guard(void* stream, int32_t device_index,
                                                   CUDAStreamGuardHandle* ret_guard) {
  int before = 0;
  if (cudaGetDevice(&before) != cudaSuccess) {
    cudaGetLastError();
    return 1;
  }
  const AOTITorchError error =
      ref_aoti_torch_create_cuda_stream_guard(stream, device_index, ret_guard);
  if (error == 0 && before != 0 && before != device_index) from_elsewhere.insert(*ret_guard);
  return error;
}

AOTITorchError aoti_torch_delete_cuda_stream_guard(CUDAStreamGuardHandle guard) {
  const bool hit = from_elsewhere.erase(guard) != 0;
  const AOTITorchError error = ref_aoti_torch_delete_cuda_stream_guard(guard);
  if (error == 0 && hit && cudaSetDevice(0) != cudaSuccess) return 1;
  return error;
}
