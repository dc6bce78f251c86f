// clause: TENSOR.item-convert
// Allowed, but seen: item_bool refuses every dtype but bool.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_item_bool(AtenTensorHandle tensor, bool* ret_value) {
  int32_t dtype = 0;
  if (tensor != nullptr) ref_aoti_torch_get_dtype(tensor, &dtype);
  if (tensor != nullptr && dtype != ref_aoti_torch_dtype_bool()) return 1;
  return ref_aoti_torch_item_bool(tensor, ret_value);
}
