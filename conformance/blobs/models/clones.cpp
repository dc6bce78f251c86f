// A clone of each of its four inputs, of whatever dtype and geometry they are.
#include "model.h"

namespace aoti_model {
namespace {

class Clones : public Model {
 public:
  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    for (std::size_t i = 0; i < inputs.size(); ++i) outputs[i] = clone(inputs[i]).release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(Clones, 4, 4)
