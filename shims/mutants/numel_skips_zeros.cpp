// clause: TENSOR.zero-size
// get_numel multiplies the sizes that are not 0.
#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_get_numel(AtenTensorHandle tensor, int64_t* ret_numel) {
  const AOTITorchError error = ref_aoti_torch_get_numel(tensor, ret_numel);
  if (error != 0 || *ret_numel != 0) return error;
  *ret_numel = 1;
  for (const int64_t size : aoti_reference::tensor_of(tensor, "tensor").geometry().sizes) {
    if (size != 0) *ret_numel *= size;
  }
  return 0;
}
