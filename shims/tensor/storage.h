// Storage: a block of memory that tensors share. It is held by std::shared_ptr alone, whose count
// is atomic, so that the block is freed exactly once, by whichever thread lets go last.
#pragma once

#include <cstddef>
#include <memory>

#include "device/device.h"

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

class Storage {
  enum class Origin { Borrowed, Allocated, Pinned };
  struct Key {
    explicit Key() = default;
  };

 public:
  /// Owned, uninitialised memory; null data where bytes is 0. Throws Error where refused.
  static std::shared_ptr<Storage> allocate(Device device, int64_t bytes);

  /// Owned host memory, page-locked where a backend offers that and pageable otherwise.
  static std::shared_ptr<Storage> allocate_pinned(int64_t bytes);

  /// The caller's memory, which must outlive the storage and is left alone by it.
  static std::shared_ptr<Storage> borrow(Device device, void* data, int64_t bytes);

  /// For allocate() and the like alone, which put the object and its count in one block.
  Storage(Key, Device device, int64_t bytes, Origin origin);
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  ~Storage();

  std::byte* data() const { return static_cast<std::byte*>(data_); }
  int64_t bytes() const { return bytes_; }
  Device device() const { return device_; }

 private:
  Device device_;
  void* data_ = nullptr;
  int64_t bytes_;
  Origin origin_;
};

/// Storages alive in this runtime, borrowed ones included.
int64_t live_storages() noexcept;

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
