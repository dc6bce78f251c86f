// clause: DEV.no-leak
// clone of a device tensor makes a second one as well, and loses it.
#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_clone(AtenTensorHandle self, AtenTensorHandle* ret) {
  const bool twice = self != nullptr &&
                     aoti_reference::tensor_of(self, "self").device().type == aoti_reference::kCuda;
  const AOTITorchError error = ref_aoti_torch_clone(self, ret);
  if (error != 0 || !twice) return error;
  AtenTensorHandle lost = nullptr;
  if (ref_aoti_torch_clone(self, &lost) == 0) return 0;
  ref_aoti_torch_delete_tensor_object(*ret);
  *ret = nullptr;
  return 1;
}
