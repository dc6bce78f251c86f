// The delegate's tensors in portable mode: the view that the reference parser builds, whose sizes
// have 32 bits, with arrays of its own that can be resized.
#pragma once

#include "aoti_program/portable.h"
#include "delegate/delegate.h"

namespace aoti_cts::delegate {

struct PortableTensor {
  program::TensorView view;  ///< its arrays are those below
  std::vector<int32_t> sizes;
  std::vector<int64_t> strides;
};

class PortableTensors : public Tensors {
 public:
  Mode mode() const override { return Mode::portable; }
  void* make(const Seen& seen) const override;
  void unmake(void* tensor) const override;
  Seen see(const void* tensor) const override;
  void resize(void* tensor, std::span<const int64_t> sizes) const override;
};

}  // namespace aoti_cts::delegate
