// clause: DEV.frees-on-own-device
// The storage of a device tensor that was seen through a view is never freed.
#include <vector>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_delete_tensor_object(AtenTensorHandle tensor) {
  if (tensor == nullptr) return 0;
  const aoti_reference::Tensor& self = aoti_reference::tensor_of(tensor, "tensor");
  static auto& kept = *new std::vector<std::shared_ptr<aoti_reference::Storage>>;
  if (self.device().type == aoti_reference::kCuda && self.offset() != 0) {
    kept.push_back(self.storage());
  }
  return ref_aoti_torch_delete_tensor_object(tensor);
}
