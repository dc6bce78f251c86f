// What generated code must not do: the array is filled from temporaries that end with its own line,
// and the call gets handles which are dead. Run over the checked reference alone.
#include "callee.h"

namespace aoti_model {
namespace {

class DeadTemporaries : public Model {
 public:
  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    const Handle x = std::move(inputs[0]);
    const AtenTensorHandle blocks[] = {reinterpret(x, {2, 1, 2}, {6, 6, 1}, 1),
                                       reinterpret(x, {2, 1, 2}, {6, 6, 1}, 15)};
    outputs[0] = concatenated(blocks, 2).release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(DeadTemporaries, 1, 1)
