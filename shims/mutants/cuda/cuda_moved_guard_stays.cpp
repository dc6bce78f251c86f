// clause: DEV.guard
// A guard that was moved leaves its device current when it is deleted.
#include <cuda_runtime_api.h>

#include "mutants/mutant.h"

namespace {
thread_local CUDAGuardHandle moved = nullptr;

/// Once more where it fails: that a failed call goes unnoticed is another clause's fault.
template <class Call>
void twice(Call&& call) {
  if (call() == cudaSuccess) return;
  cudaGetLastError();
  static_cast<void>(call());
}
}

AOTITorchError aoti_torch_cuda_guard_set_index(CUDAGuardHandle guard, int32_t device_index) {
  const AOTITorchError error = ref_aoti_torch_cuda_guard_set_index(guard, device_index);
  if (error == 0) moved = guard;
  return error;
}

AOTITorchError aoti_torch_delete_cuda_guard(CUDAGuardHandle guard) {
  int current = 0;
  const bool stays = guard != nullptr && guard == moved;
  if (stays) twice([&] { return cudaGetDevice(&current); });
  const AOTITorchError error = ref_aoti_torch_delete_cuda_guard(guard);
  if (stays && error == 0) twice([&] { return cudaSetDevice(current); });
  moved = nullptr;
  return error;
}
