// clause: TENSOR.clone-layout
// A clone that is packed is row-major, whatever the order of the source's dimensions.
#include "mutants/put.h"
#include "tensor/copy.h"

AOTITorchError aoti_torch_clone(AtenTensorHandle self, AtenTensorHandle* ret) {
  const AOTITorchError error = ref_aoti_torch_clone(self, ret);
  if (error != 0) return error;
  const aoti_reference::Tensor& source = aoti_reference::tensor_of(self, "self");
  if (aoti_reference::is_dense(source.geometry())) return 0;
  aoti_reference::Geometry geometry = source.geometry();
  geometry.strides.assign(geometry.ndim(), 1);  // equal strides pack in row-major order
  geometry.strides = aoti_reference::packed_strides(geometry);
  auto made = aoti_reference::make_empty(geometry, source.dtype(), source.device());
  aoti_reference::copy(*made, source);
  return aoti_mutant::put(ret, *made);
}
