// clause: BLOB.runs
// Keeps a half-filled buffer from a Run that failed, and takes it for a whole one in the next.
#include "entry_points.cpp"  // NOLINT(bugprone-suspicious-include)

namespace aoti_model {
namespace {

class FailedRunSpoilsTheNext : public Model {
 public:
  void run(std::vector<Handle>& /*inputs*/, AtenTensorHandle* outputs) override {
    Handle result = empty_strided({4}, {1});
    filled_ = filled_ == 0 ? 2 : 0;
    const Handle rest = reinterpret(result, {2}, {1}, 2);
    for (int64_t i = 0; i < 4; ++i) result.data()[i] = filled_ == 2 ? 1 : 0;
    filled_ = 0;
    outputs[0] = result.release();
  }

 private:
  int filled_ = 0;
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(FailedRunSpoilsTheNext, 0, 1)
