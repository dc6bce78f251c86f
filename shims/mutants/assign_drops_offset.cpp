// clause: TENSOR.assign-out
// assign_tensors_out gives a tensor at the start of the storage.
#include "mutants/put.h"

AOTITorchError aoti_torch_assign_tensors_out(AtenTensorHandle src, AtenTensorHandle* ret_dst) {
  const AOTITorchError error = ref_aoti_torch_assign_tensors_out(src, ret_dst);
  if (error != 0) return error;
  const aoti_reference::Tensor& made = aoti_reference::tensor_of(*ret_dst, "made");
  return aoti_mutant::put(ret_dst, {made.storage(), made.geometry(), 0, made.dtype()});
}
