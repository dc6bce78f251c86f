// clause: TENSOR.threads-concurrent-run
// On threads other than the first, a new handle is one to a copy.
#include <unistd.h>

#include "mutants/mutant.h"

AOTITorchError aoti_torch_new_tensor_handle(AtenTensorHandle orig_handle,
                                            AtenTensorHandle* new_handle) {
  return gettid() == getpid() ? ref_aoti_torch_new_tensor_handle(orig_handle, new_handle)
                              : ref_aoti_torch_clone(orig_handle, new_handle);
}
