// Makes a tensor and a view, and then fails where the first element of its input of two floats is
// negative. Output: whether grad mode was on while it ran, as a float.
#include "model.h"

namespace aoti_model {
namespace {

class FailsMidway : public Model {
 public:
  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    const Handle x = std::move(inputs[0]);
    Handle result = empty_strided({1}, {1});
    const Handle view = reinterpret(x, {1}, {1}, 1);
    if (*x.data() < 0) throw std::runtime_error("the first element is negative");
    *result.data() = aoti_torch_grad_mode_is_enabled() ? 1 : 0;
    outputs[0] = result.release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(FailsMidway, 1, 1)
