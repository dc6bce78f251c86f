// 2 * x + y of two 4 x 6 tensors, whatever their strides are: the plainest model.
#include "model.h"

namespace aoti_model {
namespace {

class Pointwise : public Model {
 public:
  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    const Handle x = std::move(inputs[0]);
    const Handle y = std::move(inputs[1]);
    Handle result = empty_strided({4, 6}, {6, 1});
    for (int64_t i = 0; i < 4; ++i) {
      for (int64_t j = 0; j < 6; ++j) {
        result.data()[i * 6 + j] = 2 * x.data()[i * x.stride(0) + j * x.stride(1)] +
                                   y.data()[i * y.stride(0) + j * y.stride(1)];
      }
    }
    outputs[0] = result.release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(Pointwise, 2, 1)
