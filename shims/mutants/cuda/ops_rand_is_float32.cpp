// clause: OPS.rand
// rand gives float32, whatever dtype is asked for.
#include "mutants/mutant.h"

AOTITorchError aoti_torch_cuda_rand(const int64_t* size, int64_t size_len_, int32_t*,
                                    int32_t* layout, int32_t* device, int32_t device_index_,
                                    int32_t* pin_memory, AtenTensorHandle* ret0) {
  return ref_aoti_torch_cuda_rand(size, size_len_, nullptr, layout, device, device_index_,
                                  pin_memory, ret0);
}
