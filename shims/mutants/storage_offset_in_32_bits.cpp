// clause: TENSOR.from-blob
// get_storage_offset goes through 32 bits.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_get_storage_offset(AtenTensorHandle tensor, int64_t* ret_storage_offset) {
  const AOTITorchError error = ref_aoti_torch_get_storage_offset(tensor, ret_storage_offset);
  if (error == 0) *ret_storage_offset = static_cast<int32_t>(*ret_storage_offset);
  return error;
}
