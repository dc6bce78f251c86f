// clause: DEV.stream-order
// Copies go to the default stream, whatever stream is current.
#include "device/cuda/runtime.h"
#include "mutants/mutant.h"

AOTITorchError aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src, int32_t non_blocking) {
  const cudaStream_t current = aoti_reference::current_stream(0);
  aoti_reference::set_current_stream(0, nullptr);
  const AOTITorchError error = ref_aoti_torch_copy_(self, src, non_blocking);
  aoti_reference::set_current_stream(0, current);
  return error;
}
