// Concatenates two blocks of a 4 x 6 tensor, three times over: arrays of handles that are made of
// RAII temporaries within the call, each in another form. The temporaries live until it returns.
#include <array>

#include "callee.h"

namespace aoti_model {
namespace {

Handle first_block(AtenTensorHandle x) { return reinterpret(x, {2, 1, 2}, {6, 6, 1}, 1); }
Handle second_block(AtenTensorHandle x) { return reinterpret(x, {2, 1, 2}, {6, 6, 1}, 15); }

Handle concatenated_list(std::initializer_list<AtenTensorHandle> handles) {
  return concatenated(handles.begin(), static_cast<int64_t>(handles.size()));
}

class Temporaries : public Model {
 public:
  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    const Handle x = std::move(inputs[0]);
    outputs[0] =
        concatenated(std::vector<AtenTensorHandle>{first_block(x), second_block(x)}.data(), 2)
            .release();
    outputs[1] =
        concatenated(std::array<AtenTensorHandle, 2>{first_block(x), second_block(x)}.cbegin(), 2)
            .release();
    outputs[2] = concatenated_list({first_block(x), second_block(x)}).release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(Temporaries, 1, 3)
