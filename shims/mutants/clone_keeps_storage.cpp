// clause: TENSOR.freed
// The storage of a clone outlives its last handle.
#include "mutants/keep.h"

AOTITorchError aoti_torch_clone(AtenTensorHandle self, AtenTensorHandle* ret) {
  return aoti_mutant::keep_storage(ref_aoti_torch_clone(self, ret), ret);
}
