// The reference delegate in ATen mode, as a plug-in: arguments are at::Tensors of a real libtorch,
// whose sizes have 64 bits. The model's own tensors are still those of its runtime: an at::Tensor
// lends its memory, and libtorch computes nothing.
#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>

#include "delegate/extent.h"
#include "delegate/plugin/plugin.h"

namespace aoti_cts::delegate {
namespace {

at::Tensor& aten(void* tensor) { return *static_cast<at::Tensor*>(tensor); }

at::Device device_of(const Seen& seen) {
  if (seen.device_type == 0) return {at::kCPU};
  return {at::kCUDA, static_cast<c10::DeviceIndex>(seen.device_index)};
}

class AtenTensors : public Tensors {
 public:
  Mode mode() const override { return Mode::aten; }

  // With a target device ATen asks no driver where the memory is, and the storage has all of it.
  void* make(const Seen& seen) const override {
    const auto type = static_cast<at::ScalarType>(seen.scalar_type);
    const at::Device device = device_of(seen);
    try {
      at::Tensor made = at::for_blob(seen.data, seen.sizes)
                            .strides(seen.strides)
                            .target_device(device)
                            .options(at::TensorOptions().dtype(type).device(device))
                            .make_tensor();
      if (made.storage().nbytes() > seen.bytes) {
        throw Error("sizes " + show(seen.sizes) + " need " +
                    std::to_string(made.storage().nbytes()) + " bytes of a memory of " +
                    std::to_string(seen.bytes));
      }
      made.storage().unsafeGetStorageImpl()->set_nbytes(seen.bytes);
      return new at::Tensor(std::move(made));
    } catch (const c10::Error& error) {
      throw Error(error.what_without_backtrace());
    }
  }

  void unmake(void* tensor) const override { delete &aten(tensor); }

  Seen see(const void* tensor) const override {
    const auto& from = *static_cast<const at::Tensor*>(tensor);
    const at::Device device = from.device();
    return {static_cast<int32_t>(from.scalar_type()),
            static_cast<int32_t>(device.type()),
            device.has_index() ? device.index() : 0,
            from.sizes().vec(),
            from.strides().vec(),
            from.storage().mutable_data(),
            from.storage().nbytes()};
  }

  void resize(void* tensor, std::span<const int64_t> sizes) const override {
    at::Tensor& to = aten(tensor);
    if (static_cast<int64_t>(sizes.size()) != to.dim()) {
      throw Error("sizes " + show(sizes) + " for a tensor of rank " + std::to_string(to.dim()));
    }
    const at::IntArrayRef wanted(sizes.data(), sizes.size());
    if (wanted == to.sizes()) return;
    const std::vector<int64_t> strides = packed_like(sizes, to.strides());
    const uint64_t bytes = extent_bytes(sizes, strides, to.itemsize());
    if (bytes > to.storage().nbytes()) {
      throw Error("sizes " + show(sizes) + " need " + std::to_string(bytes) +
                  " bytes of a memory of " + std::to_string(to.storage().nbytes()));
    }
    to.unsafeGetTensorImpl()->set_sizes_and_strides(wanted, strides);
  }
};

}  // namespace
}  // namespace aoti_cts::delegate

AOTI_DELEGATE(aoti_cts::delegate::AtenTensors, aoti_cts::delegate::Steps,
              "aoti-cts reference delegate over libtorch")
