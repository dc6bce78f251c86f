// clause: DEV.stream-guard
// Deleting a stream guard makes the default stream current, not the one that was before it.
#include "device/cuda/runtime.h"
#include "mutants/mutant.h"

AOTITorchError aoti_torch_delete_cuda_stream_guard(CUDAStreamGuardHandle guard) {
  const AOTITorchError error = ref_aoti_torch_delete_cuda_stream_guard(guard);
  aoti_reference::set_current_stream(0, nullptr);
  return error;
}
