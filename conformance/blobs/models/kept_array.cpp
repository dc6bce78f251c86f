// What a callee must not do: it keeps a handle of the array that it was lent, and reads it in the
// next call. Run over the checked reference alone.
#include "callee.h"

namespace aoti_model {
namespace {

AtenTensorHandle kept = nullptr;

Handle concatenated_and_kept(const AtenTensorHandle* handles, int64_t count) {
  if (kept != nullptr) return concatenated(&kept, 1);
  kept = handles[0];
  return concatenated(handles, count);
}

class KeptArray : public Model {
 public:
  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    const Handle x = std::move(inputs[0]);
    const Handle row = reinterpret(x, {4}, {1}, 4);
    const AtenTensorHandle rows[] = {row};
    outputs[0] = concatenated_and_kept(rows, 1).release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(KeptArray, 1, 1)
