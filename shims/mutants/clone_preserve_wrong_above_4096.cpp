// clause: TENSOR.clone-strides
// A clone_preserve_strides of more than 4,096 elements has the last of them wrong.
#include "mutants/spoil.h"

AOTITorchError aoti_torch_clone_preserve_strides(AtenTensorHandle self, AtenTensorHandle* ret) {
  const AOTITorchError error = ref_aoti_torch_clone_preserve_strides(self, ret);
  return aoti_mutant::spoil_above(4096, error, error == 0 ? *ret : nullptr);
}
