// clause: BLOB.grad-restored
// Turns grad mode off and on again in one straight line: it stays off where a call between fails.
#define AOTI_NO_GRAD static_cast<void>(0)
#include "entry_points.cpp"  // NOLINT(bugprone-suspicious-include)

namespace aoti_model {
namespace {

class GradStaysOffWhereAShimFails : public Model {
 public:
  void run(std::vector<Handle>& /*inputs*/, AtenTensorHandle* outputs) override {
    const bool before = aoti_torch_grad_mode_is_enabled();
    aoti_torch_grad_mode_set_enabled(false);
    Handle result = empty_strided({4}, {1});
    for (int64_t i = 0; i < 4; ++i) result.data()[i] = 1;
    aoti_torch_grad_mode_set_enabled(before);
    outputs[0] = result.release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(GradStaysOffWhereAShimFails, 0, 1)
