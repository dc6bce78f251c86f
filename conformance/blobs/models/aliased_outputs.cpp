// Four outputs: none, x + 1, the same handle once more, and the input's own handle handed back.
#include "model.h"

namespace aoti_model {
namespace {

class AliasedOutputs : public Model {
 public:
  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    Handle result = empty_strided({3}, {1});
    for (int64_t i = 0; i < 3; ++i) result.data()[i] = inputs[0].data()[i] + 1;
    outputs[0] = nullptr;
    outputs[1] = result.release();
    outputs[2] = outputs[1];
    outputs[3] = inputs[0].release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(AliasedOutputs, 1, 4)
