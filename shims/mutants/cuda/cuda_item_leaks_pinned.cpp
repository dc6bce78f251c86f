// clause: DEV.no-leak
// From the third call on item_bool stages a value in page-locked memory that it never gives back.
#include <cuda_runtime_api.h>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_item_bool(AtenTensorHandle tensor, bool* ret_value) {
  void* staging = nullptr;
  static int calls = 0;
  const bool stages =
      ++calls > 2 && tensor != nullptr &&
      aoti_reference::tensor_of(tensor, "tensor").device().type == aoti_reference::kCuda;
  if (stages && cudaHostAlloc(&staging, 1, 0) != cudaSuccess) {
    cudaGetLastError();
    return 1;
  }
  const AOTITorchError error = ref_aoti_torch_item_bool(tensor, ret_value);
  if (error != 0) cudaFreeHost(staging);
  return error;
}
