// x + 1 of a 5 x 4 input; the output is a transposed view of columns 1 and 2, whose base's handle
// is deleted before Run returns.
#include "model.h"

namespace aoti_model {
namespace {

class ViewOutput : public Model {
 public:
  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    Handle base = empty_strided({5, 4}, {4, 1});
    for (int64_t i = 0; i < 20; ++i) base.data()[i] = inputs[0].data()[i] + 1;
    outputs[0] = reinterpret(base, {2, 5}, {1, 4}, 1).release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(ViewOutput, 1, 1)
