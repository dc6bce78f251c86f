// clause: TENSOR.freed
// A handle that is deleted on a thread other than the first stays, and what it holds.
#include <unistd.h>

#include "mutants/mutant.h"

AOTITorchError aoti_torch_delete_tensor_object(AtenTensorHandle tensor) {
  return gettid() == getpid() ? ref_aoti_torch_delete_tensor_object(tensor) : 0;
}
