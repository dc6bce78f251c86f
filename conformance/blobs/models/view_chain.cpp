// Three views deep, each at an offset of its own, the middle one transposed: the model that a
// runtime gets wrong which takes a view's offset as absolute. The last view is an output of its
// own.
#include "model.h"

namespace aoti_model {
namespace {

class ViewChain : public Model {
 public:
  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    Handle x = std::move(inputs[0]);  // {5, 8}
    Handle rows = reinterpret(x, {4, 8}, {8, 1}, 8);
    x.reset();
    Handle columns = reinterpret(rows, {6, 2}, {1, 16}, 3);
    rows.reset();
    Handle every_second = reinterpret(columns, {3, 2}, {2, 16}, 1);
    columns.reset();
    Handle sum = empty_strided({3}, {1});
    for (int64_t i = 0; i < 3; ++i) {
      sum.data()[i] = every_second.data()[i * 2] + every_second.data()[i * 2 + 16];
    }
    outputs[0] = sum.release();
    outputs[1] = every_second.release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(ViewChain, 1, 2)
