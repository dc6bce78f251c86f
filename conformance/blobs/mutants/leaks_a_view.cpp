// clause: BLOB.no-leak
// A view of its output is never deleted.
#include "entry_points.cpp"  // NOLINT(bugprone-suspicious-include)

namespace aoti_model {
namespace {

class LeaksAView : public Model {
 public:
  void run(std::vector<Handle>& /*inputs*/, AtenTensorHandle* outputs) override {
    Handle result = empty_strided({4}, {1});
    for (int64_t i = 0; i < 4; ++i) result.data()[i] = 1;
    static_cast<void>(reinterpret(result, {2}, {1}, 1).release());
    outputs[0] = result.release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(LeaksAView, 0, 1)
