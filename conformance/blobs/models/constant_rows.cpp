// Row x[0] of an 8 x 4 constant, through a view that each call makes of the one constant of the
// container. Nothing of the model changes in a call, so that many threads may run it at once.
#include <array>

#include "model.h"

namespace aoti_model {
namespace {

constexpr std::array<float, 32> numbers() {
  std::array<float, 32> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return values;
}
alignas(64) constexpr std::array<float, 32> weights = numbers();

class ConstantRows : public Model {
 public:
  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    const Handle x = std::move(inputs[0]);
    const auto row = static_cast<int64_t>(*x.data());
    const Handle view = reinterpret(weights_, {4, 1}, {1, 1}, 4 * row);
    outputs[0] = clone(view).release();
  }

 private:
  const Handle weights_ = constant(weights.data(), {8, 4}, {4, 1});
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(ConstantRows, 1, 1)
