// clause: DEV.no-leak
// item_bool stages a device tensor's value in page-locked memory that it never gives back.
#include <cuda_runtime_api.h>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_item_bool(AtenTensorHandle tensor, bool* ret_value) {
  void* staging = nullptr;
  const bool stages =
      tensor != nullptr &&
      aoti_reference::tensor_of(tensor, "tensor").device().type == aoti_reference::kCuda;
  if (stages && cudaHostAlloc(&staging, 1, 0) != cudaSuccess) {
    cudaGetLastError();
    return 1;
  }
  const AOTITorchError error = ref_aoti_torch_item_bool(tensor, ret_value);
  if (error != 0) cudaFreeHost(staging);
  return error;
}
