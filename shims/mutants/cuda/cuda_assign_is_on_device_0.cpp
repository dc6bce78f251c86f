// clause: DEV.preserve-device
// A device tensor that is assigned reports device 0.
#include "mutants/put.h"

AOTITorchError aoti_torch_assign_tensors_out(AtenTensorHandle src, AtenTensorHandle* ret_dst) {
  const AOTITorchError error = ref_aoti_torch_assign_tensors_out(src, ret_dst);
  if (error != 0) return error;
  const aoti_reference::Tensor& made = aoti_reference::tensor_of(*ret_dst, "ret");
  if (made.device().type != aoti_reference::kCuda) return 0;
  auto lie = aoti_reference::Storage::borrow({aoti_reference::kCuda, 0}, made.storage()->data(),
                                             made.storage()->bytes());
  return aoti_mutant::put(
      ret_dst, aoti_reference::Tensor(lie, made.geometry(), made.offset(), made.dtype()));
}
