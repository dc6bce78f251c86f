// 2 * x for x of any rank and strides; the result is packed row by row.
#include "model.h"

namespace aoti_model {
namespace {

class Doubled : public Model {
 public:
  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    const Handle x = std::move(inputs[0]);
    const int64_t rank = x.ndim();
    std::vector<int64_t> sizes;
    for (int64_t axis = 0; axis < rank; ++axis) sizes.push_back(x.size(axis));
    std::vector<int64_t> strides(sizes.size(), 1);
    for (std::size_t axis = sizes.size(); axis-- > 1;) {
      strides[axis - 1] = strides[axis] * sizes[axis];
    }
    AtenTensorHandle made = nullptr;
    AOTI_CALL(aoti_torch_empty_strided(rank, sizes.data(), strides.data(), cached_float32,
                                       cached_cpu, 0, &made));
    Handle result(made);
    for (int64_t i = 0; i < x.numel(); ++i) {
      int64_t from = 0;
      for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        from += i / strides[axis] % sizes[axis] * x.stride(static_cast<int64_t>(axis));
      }
      result.data()[i] = 2 * x.data()[from];
    }
    outputs[0] = result.release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(Doubled, 1, 1)
