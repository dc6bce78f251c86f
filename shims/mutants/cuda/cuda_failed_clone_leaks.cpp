// clause: DEV.alloc-failure
// A large clone takes scratch memory first and forgets it when the device has no room for the rest.
#include <cuda_runtime_api.h>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_clone(AtenTensorHandle self, AtenTensorHandle* ret) {
  if (self == nullptr || ret == nullptr) return ref_aoti_torch_clone(self, ret);
  const aoti_reference::Tensor& tensor = aoti_reference::tensor_of(self, "self");
  const bool hit = tensor.device().type == aoti_reference::kCuda && tensor.span_bytes() > (1 << 20);
  if (!hit) return ref_aoti_torch_clone(self, ret);
  void* scratch = nullptr;
  if (cudaMalloc(&scratch, 4096) != cudaSuccess) return 1;
  const AOTITorchError error = ref_aoti_torch_clone(self, ret);
  if (error == 0) cudaFree(scratch);
  return error;
}
