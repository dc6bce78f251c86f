// A callee that takes an array of handles, in the form in which generated code calls operators that
// take a list of tensors. The core shims have no such function, so the blob has one of its own; all
// that it does with a handle goes through the shims.
#pragma once

#include "model.h"

namespace aoti_model {

/// Concatenates `count` tensors of four elements each, in order, into a vector. Borrows the
/// handles.
inline Handle concatenated(const AtenTensorHandle* handles, int64_t count) {
  Handle result = empty_strided({4 * count}, {1});
  for (int64_t i = 0; i < count; ++i) {
    int64_t ndim = 0;
    int64_t* sizes = nullptr;
    AOTI_CALL(aoti_torch_get_dim(handles[i], &ndim));
    AOTI_CALL(aoti_torch_get_sizes(handles[i], &sizes));
    std::vector<int64_t> strides(static_cast<std::size_t>(ndim), 1);
    for (int64_t axis = ndim - 2; axis >= 0; --axis) {
      const auto at = static_cast<std::size_t>(axis);
      strides[at] = strides[at + 1] * sizes[axis + 1];
    }
    AtenTensorHandle part = nullptr;
    AOTI_CALL(aoti_torch__reinterpret_tensor(result, ndim, sizes, strides.data(), 4 * i, &part));
    const Handle owner(part);
    AOTI_CALL(aoti_torch_copy_(owner, handles[i], 0));
  }
  return result;
}

}  // namespace aoti_model
