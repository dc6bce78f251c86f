// clause: BLOB.input-ownership
// Run takes its inputs and leaves the slots as they were, so that the caller deletes them again.
// inputs: random:1:float32[4]
#define AOTI_TAKE_INPUT(slot) (slot)
#include "entry_points.cpp"  // NOLINT(bugprone-suspicious-include)

namespace aoti_model {
namespace {

class LeavesItsInputs : public Model {
 public:
  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    outputs[0] = clone(inputs[0]).release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(LeavesItsInputs, 1, 1)
