// clause: TENSOR.from-blob
// get_storage_size goes through 32 bits.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_get_storage_size(AtenTensorHandle tensor, int64_t* ret_size) {
  const AOTITorchError error = ref_aoti_torch_get_storage_size(tensor, ret_size);
  if (error == 0) *ret_size = static_cast<int32_t>(*ret_size);
  return error;
}
