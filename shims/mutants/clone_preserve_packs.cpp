// clause: TENSOR.clone-strides
// clone_preserve_strides packs as clone does.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_clone_preserve_strides(AtenTensorHandle self, AtenTensorHandle* ret) {
  return ref_aoti_torch_clone(self, ret);
}
