// clause: DEV.frees-on-own-device
// The memory of a tensor on device 1 is freed again after its last handle went.
#include <cuda_runtime_api.h>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_delete_tensor_object(AtenTensorHandle tensor) {
  if (tensor == nullptr) return 0;
  const aoti_reference::Tensor& self = aoti_reference::tensor_of(tensor, "tensor");
  const bool hit = self.device().type == aoti_reference::kCuda && self.device().index == 1 &&
                   self.storage().use_count() == 1 && self.storage()->data() != nullptr &&
                   self.storage()->bytes() == 96;
  void* const data = hit ? self.storage()->data() : nullptr;
  const AOTITorchError error = ref_aoti_torch_delete_tensor_object(tensor);
  if (error == 0 && hit) {
    cudaFree(data);
    cudaGetLastError();
  }
  return error;
}
