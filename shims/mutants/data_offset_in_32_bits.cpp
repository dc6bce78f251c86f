// clause: TENSOR.data-ptr
// The offset in bytes goes through 32 bits on its way to the data pointer.
#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_get_data_ptr(AtenTensorHandle tensor, void** ret_data_ptr) {
  const AOTITorchError error = ref_aoti_torch_get_data_ptr(tensor, ret_data_ptr);
  if (error != 0 || *ret_data_ptr == nullptr) return error;
  const aoti_reference::Tensor& self = aoti_reference::tensor_of(tensor, "tensor");
  const int64_t bytes = self.offset() * aoti_reference::item_size(self.dtype());
  *ret_data_ptr = self.storage()->data() + static_cast<int32_t>(bytes);
  return 0;
}
