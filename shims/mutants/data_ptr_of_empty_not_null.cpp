// clause: TENSOR.zero-data-ptr
// Allowed, but seen: a tensor without elements has a data pointer.
#include <cstddef>

#include "mutants/mutant.h"

AOTITorchError aoti_torch_get_data_ptr(AtenTensorHandle tensor, void** ret_data_ptr) {
  const AOTITorchError error = ref_aoti_torch_get_data_ptr(tensor, ret_data_ptr);
  if (error != 0 || *ret_data_ptr != nullptr) return error;
  static std::byte place;
  *ret_data_ptr = &place;
  return 0;
}
