// clause: TENSOR.copy
// copy_ takes an innermost dimension of stride 0 in the source for one of stride 1.
#include <algorithm>
#include <cstring>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

AOTITorchError aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src, int32_t non_blocking) {
  const AOTITorchError error = ref_aoti_torch_copy_(self, src, non_blocking);
  if (error != 0) return error;
  const aoti_reference::Tensor& to = aoti_reference::tensor_of(self, "self");
  const aoti_reference::Tensor& from = aoti_reference::tensor_of(src, "src");
  const aoti_reference::Geometry& read = from.geometry();
  const std::size_t ndim = read.ndim();
  if (to.dtype() != from.dtype() || to.geometry().sizes != read.sizes || ndim < 2 ||
      to.numel() == 0 || read.strides[ndim - 1] != 0 || read.strides[0] == 0) {
    return 0;
  }
  const int64_t size = aoti_reference::item_size(to.dtype());
  aoti_reference::Dims strides = read.strides;
  strides[ndim - 1] = 1;
  const int64_t last = extent(read) - 1;
  aoti_reference::for_each_index(
      read.sizes, to.geometry().strides, strides, [&](int64_t into, int64_t out_of) {
        std::memcpy(to.data() + size * into, from.data() + size * std::min(out_of, last),
                    static_cast<std::size_t>(size));
      });
  return 0;
}
