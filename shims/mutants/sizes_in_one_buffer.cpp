// clause: TENSOR.borrowed
// get_sizes copies into one buffer, which the next call overwrites.
#include <algorithm>
#include <vector>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_get_sizes(AtenTensorHandle tensor, int64_t** ret_sizes) {
  static thread_local std::vector<int64_t> buffer(64);
  const AOTITorchError error = ref_aoti_torch_get_sizes(tensor, ret_sizes);
  if (error != 0) return error;
  const auto& sizes = aoti_reference::tensor_of(tensor, "tensor").geometry().sizes;
  std::copy(sizes.begin(), sizes.end(), buffer.begin());
  *ret_sizes = buffer.data();
  return 0;
}
