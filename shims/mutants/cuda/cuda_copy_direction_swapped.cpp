// clause: DEV.copy-across
// A copy of a scalar to a device is announced as one to the host.
#include <cuda_runtime_api.h>

#include "mutants/mutant.h"
#include "tensor/copy.h"

AOTITorchError aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src, int32_t non_blocking) {
  if (self == nullptr || src == nullptr) return ref_aoti_torch_copy_(self, src, non_blocking);
  const aoti_reference::Tensor& to = aoti_reference::tensor_of(self, "self");
  const aoti_reference::Tensor& from = aoti_reference::tensor_of(src, "src");
  const bool hit = to.device().type == aoti_reference::kCuda && to.geometry().ndim() == 0 &&
                   from.device().type == aoti_reference::kCpu && to.dtype() == from.dtype();
  if (!hit) return ref_aoti_torch_copy_(self, src, non_blocking);
  cudaMemcpy(to.data(), from.data(), static_cast<std::size_t>(to.span_bytes()),
             cudaMemcpyDeviceToHost);
  return cudaGetLastError() == cudaSuccess ? 0 : ref_aoti_torch_copy_(self, src, non_blocking);
}
