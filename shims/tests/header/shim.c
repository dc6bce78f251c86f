/* The shim header has to compile as C11 and as C++, without a warning. */
#include <aoti_shim/shim.h>

AOTITorchError header_shim_use(AtenTensorHandle self);
AOTITorchError header_shim_use(AtenTensorHandle self) {
  return aoti_torch_delete_tensor_object(self);
}
