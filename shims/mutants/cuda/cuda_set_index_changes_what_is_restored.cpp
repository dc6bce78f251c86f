// clause: DEV.guard
// A moved guard restores the device that was current before it moved last.
#include <cuda_runtime_api.h>

#include <map>

#include "mutants/mutant.h"

namespace {
thread_local std::map<CUDAGuardHandle, int> moved_from;
}

AOTITorchError aoti_torch_cuda_guard_set_index(CUDAGuardHandle guard, int32_t device_index) {
  int before = 0;
  if (cudaGetDevice(&before) != cudaSuccess) {
    cudaGetLastError();
    return 1;
  }
  const AOTITorchError error = ref_aoti_torch_cuda_guard_set_index(guard, device_index);
  if (error == 0) moved_from[guard] = before;
  return error;
}

AOTITorchError aoti_torch_delete_cuda_guard(CUDAGuardHandle guard) {
  const auto moved = moved_from.find(guard);
  const int back = moved != moved_from.end() ? moved->second : -1;
  if (moved != moved_from.end()) moved_from.erase(moved);
  const AOTITorchError error = ref_aoti_torch_delete_cuda_guard(guard);
  if (error == 0 && back >= 0 && cudaSetDevice(back) != cudaSuccess) return 1;
  return error;
}
