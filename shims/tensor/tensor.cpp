// Making tensors: each maker judges its arguments in full before it takes memory.
#include "tensor/tensor.h"

#include <utility>

#include "tensor/live_count.h"

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

namespace {

LiveCount live_count;

int64_t bytes_of(const Geometry& geometry, DType dtype) {
  return checked_mul(extent(geometry), item_size(dtype), "storage size in bytes");
}

}  // namespace

Tensor::Tensor(std::shared_ptr<Storage> storage, const Geometry& geometry, int64_t offset,
               DType dtype)
    : storage_(std::move(storage)),
      geometry_(geometry),
      offset_(offset),
      dtype_(dtype),
      data_(numel() == 0 ? nullptr : storage_->data() + offset * item_size(dtype)) {
  live_count.add(1);
}

Tensor::Tensor(const Tensor& other)
    : storage_(other.storage_),
      geometry_(other.geometry_),
      offset_(other.offset_),
      dtype_(other.dtype_),
      data_(other.data_) {
  live_count.add(1);
}

Tensor::~Tensor() { live_count.add(-1); }

int64_t Tensor::span_bytes() const { return bytes_of(geometry_, dtype_); }

int64_t live_tensors() noexcept { return live_count.get(); }

AtenTensorHandle release_handle(std::unique_ptr<Tensor> tensor) noexcept {
  return reinterpret_cast<AtenTensorHandle>(tensor.release());
}

void delete_handle(AtenTensorHandle handle) noexcept { delete reinterpret_cast<Tensor*>(handle); }

std::unique_ptr<Tensor> make_empty(const Geometry& geometry, DType dtype, Device device) {
  auto storage = Storage::allocate(device, bytes_of(geometry, dtype));
  return std::make_unique<Tensor>(std::move(storage), geometry, 0, dtype);
}

std::unique_ptr<Tensor> make_empty_pinned(const Geometry& geometry, DType dtype) {
  auto storage = Storage::allocate_pinned(bytes_of(geometry, dtype));
  return std::make_unique<Tensor>(std::move(storage), geometry, 0, dtype);
}

std::unique_ptr<Tensor> make_from_blob(void* data, const Geometry& geometry, int64_t offset,
                                       DType dtype, Device device) {
  if (offset < 0) refuse("storage_offset", offset, "at least 0");
  if (geometry.numel > 0) require_not_null(data, "data");
  const int64_t elements = checked_add(offset, extent(geometry), "storage size in elements");
  const int64_t bytes = checked_mul(elements, item_size(dtype), "storage size in bytes");
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  if (static_cast<std::uintptr_t>(bytes) > UINTPTR_MAX - address) {
    refuse("storage size in bytes", bytes, "small enough to end inside the address space");
  }
  if (data != nullptr) backend_of(device.type).check_borrowed(device, data);
  auto storage = Storage::borrow(device, data, bytes);
  return std::make_unique<Tensor>(std::move(storage), geometry, offset, dtype);
}

std::unique_ptr<Tensor> make_view(const Tensor& source, const Geometry& geometry,
                                  int64_t increment) {
  const int64_t offset = checked_add(source.offset(), increment, "storage_offset of the view");
  if (offset < 0) refuse("storage_offset of the view", offset, "at least 0");
  const int64_t capacity = source.storage()->bytes() / item_size(source.dtype());
  const int64_t needed = extent(geometry);
  // A borrowed storage of numel 0 may have a size and yet no memory.
  if (needed > 0) require_not_null(source.storage()->data(), "the storage of self");
  if (needed > 0 && (offset > capacity || needed > capacity - offset)) {
    throw Error("the view reaches element " + std::to_string(offset) + " + " +
                std::to_string(needed - 1) + ", must stay inside the storage's " +
                std::to_string(capacity) + " elements");
  }
  return std::make_unique<Tensor>(source.storage(), geometry, offset, source.dtype());
}

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
