// Adds 1 in place to rows 2 to 4 of its 8 x 4 input through a view, and returns twice the input.
#include "model.h"

namespace aoti_model {
namespace {

class MutatedView : public Model {
 public:
  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    const Handle x = std::move(inputs[0]);
    const Handle rows = reinterpret(x, {3, 4}, {4, 1}, 8);
    for (int64_t i = 0; i < 12; ++i) rows.data()[i] += 1;
    Handle result = empty_strided({8, 4}, {4, 1});
    for (int64_t i = 0; i < 32; ++i) result.data()[i] = 2 * x.data()[i];
    outputs[0] = result.release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(MutatedView, 1, 1)
