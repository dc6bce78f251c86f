// clause: TENSOR.null-args
// A null handle has no elements, says get_numel.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_get_numel(AtenTensorHandle tensor, int64_t* ret_numel) {
  if (tensor != nullptr || ret_numel == nullptr) return ref_aoti_torch_get_numel(tensor, ret_numel);
  *ret_numel = 0;
  return 0;
}
