// clause: TENSOR.clone
// A clone of more than 1,024 elements has the last of them wrong.
#include "mutants/spoil.h"

AOTITorchError aoti_torch_clone(AtenTensorHandle self, AtenTensorHandle* ret) {
  const AOTITorchError error = ref_aoti_torch_clone(self, ret);
  return aoti_mutant::spoil_above(1024, error, error == 0 ? *ret : nullptr);
}
