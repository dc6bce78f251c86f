// clause: BLOB.no-dead-handle
// Asks a dead handle for its dimensions while it clears up after a call that failed.
#include "entry_points.cpp"  // NOLINT(bugprone-suspicious-include)

namespace aoti_model {
namespace {

class MisusesAViewWhereAShimFails : public Model {
 public:
  void run(std::vector<Handle>& /*inputs*/, AtenTensorHandle* outputs) override {
    Handle result = empty_strided({4}, {1});
    for (int64_t i = 0; i < 4; ++i) result.data()[i] = 1;
    Handle view = reinterpret(result, {2}, {1}, 1);
    try {
      static_cast<void>(view.numel());
    } catch (const std::exception&) {
      AtenTensorHandle dead = view.get();
      view.reset();
      int64_t ndim = 0;
      static_cast<void>(aoti_torch_get_dim(dead, &ndim));
      throw;
    }
    outputs[0] = result.release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(MisusesAViewWhereAShimFails, 0, 1)
