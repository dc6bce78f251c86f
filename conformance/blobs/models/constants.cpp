// Constants in the blob itself: a scalar, one of three floats in a padded place, one without
// elements whose data is null. Outputs: x * scalar + three, and each constant, which is handed out
// as a clone.
#include "model.h"

namespace aoti_model {
namespace {

class Constants : public Model {
 public:
  Constants()
      : scalar_(constant(&scalar_data, {}, {})),
        three_(constant(three_data, {3}, {1})),
        nothing_(constant(nullptr, {0, 3}, {3, 1})) {}

  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    const Handle x = std::move(inputs[0]);  // {3}
    Handle result = empty_strided({3}, {1});
    for (int64_t i = 0; i < 3; ++i) {
      result.data()[i] = x.data()[i] * *scalar_.data() + three_.data()[i];
    }
    outputs[0] = result.release();
    outputs[1] = clone(scalar_).release();
    outputs[2] = clone(three_).release();
    outputs[3] = clone(nothing_).release();
  }

 private:
  static constexpr float scalar_data = 0.5F;
  alignas(64) static constexpr float three_data[16] = {1, 2, 3, -1, -1, -1, -1, -1};  // padded

  Handle scalar_;
  Handle three_;
  Handle nothing_;
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(Constants, 1, 4)
