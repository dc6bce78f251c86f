// A delegate as it would be built for ATen mode, over tensors that have what matters of at::Tensor:
// sizes and strides of 64 bits. For machines without a libtorch; the real one is aten/.
#include "aoti_program/program.h"
#include "delegate/extent.h"
#include "delegate/plugin/plugin.h"

namespace aoti_cts::delegate {
namespace {

uint64_t width(int32_t scalar_type) {
  return program::element_bytes(static_cast<int8_t>(scalar_type));
}

class WideTensors : public Tensors {
 public:
  Mode mode() const override { return Mode::aten; }
  void* make(const Seen& seen) const override { return new Seen(seen); }
  void unmake(void* tensor) const override { delete static_cast<Seen*>(tensor); }
  Seen see(const void* tensor) const override { return *static_cast<const Seen*>(tensor); }
  void resize(void* tensor, std::span<const int64_t> sizes) const override {
    Seen& to = *static_cast<Seen*>(tensor);
    if (sizes.size() != to.sizes.size()) throw Error("sizes " + show(sizes) + ": another rank");
    const std::vector<int64_t> strides = packed_like(sizes, to.strides);
    if (extent_bytes(sizes, strides, width(to.scalar_type)) > to.bytes) {
      throw Error("sizes " + show(sizes) + " need more than " + std::to_string(to.bytes) +
                  " bytes");
    }
    if (to.sizes == std::vector<int64_t>(sizes.begin(), sizes.end())) return;
    to.sizes.assign(sizes.begin(), sizes.end());
    to.strides = strides;
  }
};

}  // namespace
}  // namespace aoti_cts::delegate

AOTI_DELEGATE(aoti_cts::delegate::WideTensors, aoti_cts::delegate::Steps,
              "aoti-cts reference delegate, as if for ATen")
