// x * weight of four floats each; the weight is the user's: the model keeps a handle of its own on
// it.
#include <cstring>

#include "model.h"

namespace aoti_model {
namespace {

class UserConstants : public Model {
 public:
  void set_constants(const NamedConstant* constants, std::size_t count) override {
    if (count != 1 || std::strcmp(constants[0].name, "weight") != 0) {
      throw std::runtime_error("the model has one constant, weight");
    }
    weight_ = new_handle(constants[0].handle);
  }

  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    Handle result = empty_strided({4}, {1});
    for (int64_t i = 0; i < 4; ++i) {
      result.data()[i] = inputs[0].data()[i] * weight_.data()[i];
    }
    outputs[0] = result.release();
  }

 private:
  Handle weight_;
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(UserConstants, 1, 1)
