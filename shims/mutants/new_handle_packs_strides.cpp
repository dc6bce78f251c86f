// clause: TENSOR.new-handle
// A new handle has packed strides, whatever the strides of the original.
#include "mutants/put.h"

AOTITorchError aoti_torch_new_tensor_handle(AtenTensorHandle orig_handle,
                                            AtenTensorHandle* new_handle) {
  const AOTITorchError error = ref_aoti_torch_new_tensor_handle(orig_handle, new_handle);
  if (error != 0) return error;
  const aoti_reference::Tensor& made = aoti_reference::tensor_of(*new_handle, "made");
  aoti_reference::Geometry geometry = made.geometry();
  geometry.strides = aoti_reference::packed_strides(geometry);
  return aoti_mutant::put(new_handle, {made.storage(), geometry, made.offset(), made.dtype()});
}
