// clause: DEV.stream-order
// item_bool reads by a plain cudaMemcpy, which waits for no stream that is not blocking.
#include <cuda_runtime_api.h>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_item_bool(AtenTensorHandle tensor, bool* ret_value) {
  if (tensor == nullptr || ret_value == nullptr) return ref_aoti_torch_item_bool(tensor, ret_value);
  const aoti_reference::Tensor& self = aoti_reference::tensor_of(tensor, "tensor");
  if (self.device().type != aoti_reference::kCuda || self.device().index != 0 ||
      self.numel() != 1 || self.dtype() != aoti_reference::DType::boolean) {
    return ref_aoti_torch_item_bool(tensor, ret_value);
  }
  if (cudaMemcpy(ret_value, self.data(), 1, cudaMemcpyDeviceToHost) == cudaSuccess) return 0;
  cudaGetLastError();
  return 1;
}
