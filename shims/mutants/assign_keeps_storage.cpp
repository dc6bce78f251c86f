// clause: TENSOR.freed
// assign_tensors_out takes two references on the storage and its deletion gives back one.
#include "mutants/keep.h"

AOTITorchError aoti_torch_assign_tensors_out(AtenTensorHandle src, AtenTensorHandle* ret_dst) {
  return aoti_mutant::keep_storage(ref_aoti_torch_assign_tensors_out(src, ret_dst), ret_dst);
}
