// Concatenates two rows of a 2 x 4 tensor by an array of handles that the caller owns, uses them
// again afterwards, and ends each once: what a caller may do whose callee borrows.
#include "callee.h"

namespace aoti_model {
namespace {

class BorrowedArray : public Model {
 public:
  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    const Handle x = std::move(inputs[0]);
    Handle first = reinterpret(x, {4}, {1}, 0);
    Handle second = reinterpret(x, {4}, {1}, 4);
    const AtenTensorHandle rows[] = {first, second};
    outputs[0] = concatenated(rows, 2).release();
    outputs[1] = concatenated(rows, 2).release();
    AOTI_CALL(aoti_torch_delete_tensor_object(first.release()));
    AOTI_CALL(aoti_torch_delete_tensor_object(second.release()));
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(BorrowedArray, 1, 2)
