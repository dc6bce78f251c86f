// clause: DEV.cpu-index
// A CPU tensor says index 0, where the reference says -1.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_get_device_index(AtenTensorHandle tensor, int32_t* ret_device_index) {
  const AOTITorchError error = ref_aoti_torch_get_device_index(tensor, ret_device_index);
  if (error == 0 && *ret_device_index == -1) *ret_device_index = 0;
  return error;
}
