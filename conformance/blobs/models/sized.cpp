// A tensor of the sizes that its input, int64[rank], tells; all its elements are 1.
#include <algorithm>

#include "model.h"

namespace aoti_model {
namespace {

class Sized : public Model {
 public:
  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    const Handle told = std::move(inputs[0]);
    const int64_t* const first = told.data<int64_t>();
    const std::vector<int64_t> sizes(first, first + told.numel());
    std::vector<int64_t> strides(sizes.size(), 1);
    for (std::size_t axis = sizes.size(); axis-- > 1;) {
      strides[axis - 1] = strides[axis] * std::max<int64_t>(sizes[axis], 1);
    }
    AtenTensorHandle made = nullptr;
    AOTI_CALL(aoti_torch_empty_strided(told.numel(), sizes.data(), strides.data(), cached_float32,
                                       cached_cpu, 0, &made));
    Handle result(made);
    std::fill_n(result.data(), result.numel(), 1.0F);
    outputs[0] = result.release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(Sized, 1, 1)
