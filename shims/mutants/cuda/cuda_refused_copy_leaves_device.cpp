// clause: DEV.device-kept
// A copy_ that is refused for its sizes leaves the device of its target current.
#include <cuda_runtime_api.h>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src, int32_t non_blocking) {
  const AOTITorchError error = ref_aoti_torch_copy_(self, src, non_blocking);
  if (error == 0 || self == nullptr || src == nullptr) return error;
  const aoti_reference::Tensor& to = aoti_reference::tensor_of(self, "self");
  const aoti_reference::Tensor& from = aoti_reference::tensor_of(src, "src");
  const bool hit = to.device().type == aoti_reference::kCuda && to.numel() != from.numel();
  if (hit) cudaSetDevice(to.device().index);
  return error;
}
