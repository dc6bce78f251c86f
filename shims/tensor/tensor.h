// Tensor: a window on a storage, and what a handle points to. Each handle has a Tensor of its own,
// which nothing changes after it was made; so handles need no lock, and two handles share no more
// than the storage.
#pragma once

#include "tensor/dtype.h"
#include "tensor/geometry.h"
#include "tensor/storage.h"

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

class Tensor {
 public:
  /// `offset` is in elements from the start of the storage; the caller has checked that the
  /// geometry stays inside.
  Tensor(std::shared_ptr<Storage> storage, const Geometry& geometry, int64_t offset, DType dtype);
  Tensor(const Tensor& other);
  Tensor& operator=(const Tensor&) = delete;
  ~Tensor();

  const std::shared_ptr<Storage>& storage() const { return storage_; }
  const Geometry& geometry() const { return geometry_; }
  int64_t offset() const { return offset_; }
  DType dtype() const { return dtype_; }
  Device device() const { return storage_->device(); }
  int64_t numel() const { return geometry_.numel; }

  /// Address of the first element, null where numel is 0.
  std::byte* data() const { return data_; }

  /// Bytes from the first element's start to the last one's end.
  int64_t span_bytes() const;

 private:
  std::shared_ptr<Storage> storage_;
  Geometry geometry_;
  int64_t offset_;
  DType dtype_;
  std::byte* data_;
};

/// Tensors, which is handles, alive in this runtime.
int64_t live_tensors() noexcept;

/// The tensor behind a handle; throws Error naming `argument` for a null one. The opaque type of a
/// handle is never completed: a handle is a Tensor's address.
inline const Tensor& tensor_of(AtenTensorHandle handle, const char* argument) {
  require_not_null(handle, argument);
  return *reinterpret_cast<const Tensor*>(handle);
}

/// Gives the tensor away as a handle, to be ended by delete_handle().
AtenTensorHandle release_handle(std::unique_ptr<Tensor> tensor) noexcept;

/// Ends a handle; null is left alone.
void delete_handle(AtenTensorHandle handle) noexcept;

/// Fresh uninitialised memory of exactly the geometry's extent, offset 0.
std::unique_ptr<Tensor> make_empty(const Geometry& geometry, DType dtype, Device device);

/// The same in host memory, page-locked where possible.
std::unique_ptr<Tensor> make_empty_pinned(const Geometry& geometry, DType dtype);

/// A tensor on the caller's memory: `offset` elements after `data`, storage of exactly
/// offset + extent elements. Throws Error for a negative offset, and for null data with numel > 0.
std::unique_ptr<Tensor> make_from_blob(void* data, const Geometry& geometry, int64_t offset,
                                       DType dtype, Device device);

/// A view on the source's storage, `increment` elements after the source's own offset. Throws Error
/// where it reaches outside the storage; a view of numel 0 reaches nothing.
std::unique_ptr<Tensor> make_view(const Tensor& source, const Geometry& geometry,
                                  int64_t increment);

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
