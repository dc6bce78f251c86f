// clause: DEV.guard
// A guard that was moved leaves its device current when it is deleted.
#include <cuda_runtime_api.h>

#include "mutants/mutant.h"

namespace {
thread_local CUDAGuardHandle moved = nullptr;
}

AOTITorchError aoti_torch_cuda_guard_set_index(CUDAGuardHandle guard, int32_t device_index) {
  const AOTITorchError error = ref_aoti_torch_cuda_guard_set_index(guard, device_index);
  if (error == 0) moved = guard;
  return error;
}

AOTITorchError aoti_torch_delete_cuda_guard(CUDAGuardHandle guard) {
  int current = 0;
  const bool stays = guard != nullptr && guard == moved;
  if (stays) cudaGetDevice(&current);
  const AOTITorchError error = ref_aoti_torch_delete_cuda_guard(guard);
  if (stays && error == 0) cudaSetDevice(current);
  moved = nullptr;
  return error;
}
