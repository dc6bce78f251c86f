// clause: DEV.stream-order
// clone works on the default stream, whatever stream is current.
#include "device/cuda/runtime.h"
#include "mutants/mutant.h"

AOTITorchError aoti_torch_clone(AtenTensorHandle self, AtenTensorHandle* ret) {
  const cudaStream_t current = aoti_reference::current_stream(0);
  aoti_reference::set_current_stream(0, nullptr);
  const AOTITorchError error = ref_aoti_torch_clone(self, ret);
  aoti_reference::set_current_stream(0, current);
  return error;
}
