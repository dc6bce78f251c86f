// The object is made before its memory is, so that a throw in between frees what there is.
#include "tensor/storage.h"

#include "tensor/live_count.h"

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

namespace {
LiveCount live_count;
}

int64_t live_storages() noexcept { return live_count.get(); }

Storage::Storage(Key, Device device, int64_t bytes, Origin origin)
    : device_(device), bytes_(bytes), origin_(origin) {
  live_count.add(1);
}

Storage::~Storage() {
  if (data_ != nullptr) {
    if (origin_ == Origin::Allocated) backend_of(device_.type).free(device_, data_, bytes_);
    if (origin_ == Origin::Pinned) pinning_backend()->free_pinned(data_);
  }
  live_count.add(-1);
}

std::shared_ptr<Storage> Storage::allocate(Device device, int64_t bytes) {
  auto storage = std::make_shared<Storage>(Key(), device, bytes, Origin::Allocated);
  if (bytes > 0) storage->data_ = backend_of(device.type).allocate(device, bytes);
  return storage;
}

std::shared_ptr<Storage> Storage::allocate_pinned(int64_t bytes) {
  const Device host = resolve_device(kCpu, -1);
  const DeviceBackend* backend = pinning_backend();
  if (backend == nullptr || bytes == 0) return allocate(host, bytes);
  auto storage = std::make_shared<Storage>(Key(), host, bytes, Origin::Pinned);
  storage->data_ = backend->allocate_pinned(bytes);
  if (storage->data_ == nullptr) return allocate(host, bytes);
  return storage;
}

std::shared_ptr<Storage> Storage::borrow(Device device, void* data, int64_t bytes) {
  auto storage = std::make_shared<Storage>(Key(), device, bytes, Origin::Borrowed);
  storage->data_ = data;
  return storage;
}

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
