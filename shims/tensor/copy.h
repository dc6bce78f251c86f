// Copies between tensors: copy_, the two clones and item_bool.
#pragma once

#include "tensor/tensor.h"

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

/// Writes `from` into `to` by logical index: broadcast to the sizes of `to`, converted to its
/// dtype. A tensor onto itself is a no-op. Throws Error, with `to` unchanged, where the shapes do
/// not broadcast, the dtypes do not convert, or an element of `to` is also another element of `to`
/// or an element of `from`.
void copy(const Tensor& to, const Tensor& from);

/// An independent copy of same sizes: strides kept where dense, packed otherwise.
std::unique_ptr<Tensor> clone(const Tensor& self);

/// An independent copy of same sizes and strides; gaps are copied as they are.
std::unique_ptr<Tensor> clone_preserve_strides(const Tensor& self);

/// The one element as a bool. Throws Error unless numel is 1 and the dtype converts.
bool item_bool(const Tensor& self);

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
