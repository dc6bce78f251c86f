// clause: TENSOR.freed
// new_tensor_handle takes two references on the storage and its deletion gives back one.
#include "mutants/keep.h"

AOTITorchError aoti_torch_new_tensor_handle(AtenTensorHandle orig_handle,
                                            AtenTensorHandle* new_handle) {
  return aoti_mutant::keep_storage(ref_aoti_torch_new_tensor_handle(orig_handle, new_handle),
                                   new_handle);
}
