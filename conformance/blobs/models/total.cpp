// The sum of all elements of a contiguous tensor, as a scalar (ndim 0); 0 of one without elements.
#include "model.h"

namespace aoti_model {
namespace {

class Total : public Model {
 public:
  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    const Handle x = std::move(inputs[0]);
    Handle result = empty_strided({}, {});
    float total = 0;
    for (int64_t i = 0; i < x.numel(); ++i) total += x.data()[i];
    *result.data() = total;
    outputs[0] = result.release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(Total, 1, 1)
