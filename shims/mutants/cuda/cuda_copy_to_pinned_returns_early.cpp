// clause: DEV.stream-order
// A copy from a device into pinned memory returns before it is complete.
#include <cuda_runtime_api.h>

#include "device/cuda/runtime.h"
#include "mutants/mutant.h"
#include "tensor/copy.h"

AOTITorchError aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src, int32_t non_blocking) {
  if (self == nullptr || src == nullptr) return ref_aoti_torch_copy_(self, src, non_blocking);
  const aoti_reference::Tensor& to = aoti_reference::tensor_of(self, "self");
  const aoti_reference::Tensor& from = aoti_reference::tensor_of(src, "src");
  const bool down = to.device().type == aoti_reference::kCpu &&
                    from.device().type == aoti_reference::kCuda && to.dtype() == from.dtype();
  cudaPointerAttributes where{};
  if (down && cudaPointerGetAttributes(&where, to.data()) != cudaSuccess) return 1;
  if (!down || where.type != cudaMemoryTypeHost) {
    return ref_aoti_torch_copy_(self, src, non_blocking);
  }
  return cudaMemcpyAsync(to.data(), from.data(), static_cast<std::size_t>(to.span_bytes()),
                         cudaMemcpyDeviceToHost,
                         aoti_reference::current_stream(from.device().index)) == cudaSuccess
             ? 0
             : 1;
}
