// clause: DEV.stream-order
// A copy from pinned memory to device 0 returns before it has read all of it.
#include <cuda_runtime_api.h>

#include "device/cuda/runtime.h"
#include "mutants/mutant.h"
#include "tensor/copy.h"

AOTITorchError aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src, int32_t non_blocking) {
  if (self == nullptr || src == nullptr) return ref_aoti_torch_copy_(self, src, non_blocking);
  const aoti_reference::Tensor& to = aoti_reference::tensor_of(self, "self");
  const aoti_reference::Tensor& from = aoti_reference::tensor_of(src, "src");
  const bool up = from.device().type == aoti_reference::kCpu && to.dtype() == from.dtype() &&
                  to.device().type == aoti_reference::kCuda && to.device().index == 0 &&
                  non_blocking == 0;
  cudaPointerAttributes where{};
  if (up && cudaPointerGetAttributes(&where, from.data()) != cudaSuccess) {
    cudaGetLastError();
    return 1;
  }
  if (!up || where.type != cudaMemoryTypeHost) {
    return ref_aoti_torch_copy_(self, src, non_blocking);
  }
  if (cudaMemcpyAsync(to.data(), from.data(), static_cast<std::size_t>(to.span_bytes()),
                      cudaMemcpyHostToDevice, aoti_reference::current_stream(0)) == cudaSuccess) {
    return 0;
  }
  cudaGetLastError();
  return 1;
}
