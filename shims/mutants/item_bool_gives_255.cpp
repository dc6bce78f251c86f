// clause: TENSOR.item-bool
// A true value is the byte 255, of which a caller's `== true` makes what it likes.
#include <cstring>

#include "mutants/mutant.h"

AOTITorchError aoti_torch_item_bool(AtenTensorHandle tensor, bool* ret_value) {
  if (ret_value == nullptr) return ref_aoti_torch_item_bool(tensor, ret_value);
  bool value = false;
  const AOTITorchError error = ref_aoti_torch_item_bool(tensor, &value);
  if (error == 0) std::memset(ret_value, value ? 255 : 0, 1);
  return error;
}
