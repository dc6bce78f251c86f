// clause: BLOB.check-fails
// Does not look at the code of one call: where the view is not made, its part is not computed.
#include "entry_points.cpp"  // NOLINT(bugprone-suspicious-include)

namespace aoti_model {
namespace {

class GoesOnWithoutAView : public Model {
 public:
  void run(std::vector<Handle>& /*inputs*/, AtenTensorHandle* outputs) override {
    Handle result = empty_strided({4}, {1});
    for (int64_t i = 0; i < 4; ++i) result.data()[i] = 1;
    const int64_t size = 2;
    const int64_t stride = 1;
    AtenTensorHandle view = nullptr;
    static_cast<void>(aoti_torch__reinterpret_tensor(result, 1, &size, &stride, 1, &view));
    const Handle owner(view);
    outputs[0] = result.release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(GoesOnWithoutAView, 0, 1)
