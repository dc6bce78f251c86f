// clause: TENSOR.from-blob
// get_storage_offset gives 0 for an offset above 1,000,000.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_get_storage_offset(AtenTensorHandle tensor, int64_t* ret_storage_offset) {
  const AOTITorchError error = ref_aoti_torch_get_storage_offset(tensor, ret_storage_offset);
  if (error == 0 && *ret_storage_offset > 1'000'000) *ret_storage_offset = 0;
  return error;
}
