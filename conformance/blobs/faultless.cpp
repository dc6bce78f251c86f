// What mutant blobs are compared with: a faultless model with AOTI_INPUTS inputs, which gives a
// clone of the first, or four ones.
#include "entry_points.cpp"  // NOLINT(bugprone-suspicious-include)

namespace aoti_model {
namespace {

class Faultless : public Model {
 public:
  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    if (!inputs.empty()) {
      outputs[0] = clone(inputs[0]).release();
      return;
    }
    Handle result = empty_strided({4}, {1});
    for (int64_t i = 0; i < 4; ++i) result.data()[i] = 1;
    outputs[0] = result.release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(Faultless, AOTI_INPUTS, 1)
