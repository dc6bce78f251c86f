// Checks that the first element of its input of two floats is not negative, and writes 7 into the
// second afterwards: a check that returns though it failed is seen there.
#include "model.h"

namespace aoti_model {
namespace {

class Checks : public Model {
 public:
  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    Handle x = std::move(inputs[0]);
    float* data = x.data();
    aoti_torch_check(data[0] >= 0, "run", "checks.cpp", 15, "the first element is negative");
    data[1] = 7;
    outputs[0] = x.release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(Checks, 1, 1)
