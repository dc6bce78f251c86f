// clause: TENSOR.no-clobber
// get_device_type writes 64 bits.
#include <cstring>

#include "mutants/mutant.h"

AOTITorchError aoti_torch_get_device_type(AtenTensorHandle tensor, int32_t* ret_device_type) {
  const AOTITorchError error = ref_aoti_torch_get_device_type(tensor, ret_device_type);
  if (error != 0) return error;
  const int64_t wide = *ret_device_type;
  std::memcpy(static_cast<void*>(ret_device_type), &wide, sizeof wide);
  return 0;
}
