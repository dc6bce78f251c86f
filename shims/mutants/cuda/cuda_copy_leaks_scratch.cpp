// clause: DEV.no-leak
// Each copy_ into a device, from the third on, takes 256 bytes of scratch there and keeps them.
#include <cuda_runtime_api.h>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src, int32_t non_blocking) {
  if (self == nullptr ||
      aoti_reference::tensor_of(self, "self").device().type != aoti_reference::kCuda) {
    return ref_aoti_torch_copy_(self, src, non_blocking);
  }
  static int copies = 0;
  if (++copies < 3) return ref_aoti_torch_copy_(self, src, non_blocking);
  void* scratch = nullptr;
  if (cudaMalloc(&scratch, 256) != cudaSuccess) {
    cudaGetLastError();
    return 1;
  }
  const AOTITorchError error = ref_aoti_torch_copy_(self, src, non_blocking);
  if (error != 0) cudaFree(scratch);
  return error;
}
