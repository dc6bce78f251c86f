// clause: DEV.no-leak
// A copy_ that need not wait records an event, which nobody destroys.
#include <cuda_runtime_api.h>

#include "mutants/mutant.h"

AOTITorchError aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src, int32_t non_blocking) {
  cudaEvent_t event = nullptr;
  if (non_blocking != 0 &&
      cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess) {
    cudaGetLastError();
    return 1;
  }
  const AOTITorchError error = ref_aoti_torch_copy_(self, src, non_blocking);
  if (error != 0 && event != nullptr) cudaEventDestroy(event);
  return error;
}
