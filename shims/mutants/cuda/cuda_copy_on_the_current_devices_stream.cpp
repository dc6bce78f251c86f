// clause: DEV.stream-order
// A copy_ from a device that is not current goes to that device's default stream.
#include <cuda_runtime_api.h>

#include "device/cuda/runtime.h"
#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src, int32_t non_blocking) {
  if (self == nullptr || src == nullptr) return ref_aoti_torch_copy_(self, src, non_blocking);
  const aoti_reference::Device device = aoti_reference::tensor_of(src, "src").device();
  int current = 0;
  if (cudaGetDevice(&current) != cudaSuccess) {
    cudaGetLastError();
    return 1;
  }
  if (device.type != aoti_reference::kCuda || device.index == current) {
    return ref_aoti_torch_copy_(self, src, non_blocking);
  }
  const cudaStream_t stream = aoti_reference::current_stream(device.index);
  aoti_reference::set_current_stream(device.index, nullptr);
  const AOTITorchError error = ref_aoti_torch_copy_(self, src, non_blocking);
  aoti_reference::set_current_stream(device.index, stream);
  return error;
}
