// clause: OPS.sort-stable
// sort_stable sorts in ascending order, whatever is asked for.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_cuda_sort_stable(AtenTensorHandle self, int32_t* stable, int64_t dim,
                                           int32_t, AtenTensorHandle* ret0,
                                           AtenTensorHandle* ret1) {
  return ref_aoti_torch_cuda_sort_stable(self, stable, dim, 0, ret0, ret1);
}
