// What a callee must not do: it ends the handles of the array that it was lent. Run over the
// checked reference alone.
#include "callee.h"

namespace aoti_model {
namespace {

Handle concatenated_and_freed(const AtenTensorHandle* handles, int64_t count) {
  Handle result = concatenated(handles, count);
  for (int64_t i = 0; i < count; ++i) aoti_torch_delete_tensor_object(handles[i]);
  return result;
}

class FreedArray : public Model {
 public:
  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    const Handle x = std::move(inputs[0]);
    const Handle row = reinterpret(x, {4}, {1}, 4);
    const AtenTensorHandle rows[] = {row};
    outputs[0] = concatenated_and_freed(rows, 1).release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(FreedArray, 1, 1)
