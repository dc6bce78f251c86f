// clause: OPS.packed-weights
// The product with packed weights succeeds, and is the input.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_cuda_int4_plain_mm(AtenTensorHandle self, AtenTensorHandle,
                                             AtenTensorHandle, AtenTensorHandle, AtenTensorHandle,
                                             AtenTensorHandle, int64_t, AtenTensorHandle* ret0) {
  return ref_aoti_torch_new_tensor_handle(self, ret0);
}
