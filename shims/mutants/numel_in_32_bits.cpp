// clause: TENSOR.empty
// get_numel goes through 32 bits.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_get_numel(AtenTensorHandle tensor, int64_t* ret_numel) {
  const AOTITorchError error = ref_aoti_torch_get_numel(tensor, ret_numel);
  if (error == 0) *ret_numel = static_cast<int32_t>(*ret_numel);
  return error;
}
