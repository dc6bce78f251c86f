// What a model must not do: it keeps the array of output slots that it was lent, and writes there
// in the next call. Run over the checked reference alone.
#include "model.h"

namespace aoti_model {
namespace {

class KeptSlots : public Model {
 public:
  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    const Handle x = std::move(inputs[0]);
    if (kept_ != nullptr) kept_[0] = nullptr;
    kept_ = outputs;
    outputs[0] = clone(x).release();
  }

 private:
  AtenTensorHandle* kept_ = nullptr;
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(KeptSlots, 1, 1)
