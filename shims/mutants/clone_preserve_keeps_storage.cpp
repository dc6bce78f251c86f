// clause: TENSOR.freed
// The storage of what clone_preserve_strides made outlives its last handle.
#include "mutants/keep.h"

AOTITorchError aoti_torch_clone_preserve_strides(AtenTensorHandle self, AtenTensorHandle* ret) {
  return aoti_mutant::keep_storage(ref_aoti_torch_clone_preserve_strides(self, ret), ret);
}
