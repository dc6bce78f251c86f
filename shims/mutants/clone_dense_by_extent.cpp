// clause: TENSOR.clone
// A tensor whose extent equals its number of elements passes for dense, overlapping or not.
#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_clone(AtenTensorHandle self, AtenTensorHandle* ret) {
  const AOTITorchError error = ref_aoti_torch_clone(self, ret);
  if (error != 0) return error;
  const aoti_reference::Tensor& source = aoti_reference::tensor_of(self, "self");
  if (source.numel() == 0 || extent(source.geometry()) != source.numel()) return 0;
  aoti_reference::delete_handle(*ret);
  return ref_aoti_torch_clone_preserve_strides(self, ret);
}
