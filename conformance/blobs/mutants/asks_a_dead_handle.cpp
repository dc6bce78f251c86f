// clause: BLOB.no-dead-handle
// Asks a handle for its dimensions after it was deleted.
#include "entry_points.cpp"  // NOLINT(bugprone-suspicious-include)

namespace aoti_model {
namespace {

class AsksADeadHandle : public Model {
 public:
  void run(std::vector<Handle>& /*inputs*/, AtenTensorHandle* outputs) override {
    Handle result = empty_strided({4}, {1});
    for (int64_t i = 0; i < 4; ++i) result.data()[i] = 1;
    Handle view = reinterpret(result, {2}, {1}, 1);
    AtenTensorHandle dead = view.get();
    view.reset();
    int64_t ndim = 0;
    AOTI_CALL(aoti_torch_get_dim(dead, &ndim));
    outputs[0] = result.release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(AsksADeadHandle, 0, 1)
