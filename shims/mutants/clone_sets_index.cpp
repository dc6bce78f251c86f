// clause: DEV.preserve
// The clone of an unindexed CPU tensor is on CPU index 0.
#include "mutants/replace.h"

AOTITorchError aoti_torch_clone(AtenTensorHandle self, AtenTensorHandle* ret) {
  const AOTITorchError error = ref_aoti_torch_clone(self, ret);
  if (error != 0) return error;
  const aoti_reference::Tensor& clone = aoti_reference::tensor_of(*ret, "clone");
  const aoti_reference::Device indexed{clone.device().type, 0};
  aoti_mutant::replace(ret, aoti_mutant::copy_of(*clone.storage(), indexed), clone.dtype());
  return error;
}
