// clause: BLOB.no-leak
// A tensor has no owner yet while its view is made: it is lost where that fails.
#include "entry_points.cpp"  // NOLINT(bugprone-suspicious-include)

namespace aoti_model {
namespace {

class LeaksWhereAShimFails : public Model {
 public:
  void run(std::vector<Handle>& /*inputs*/, AtenTensorHandle* outputs) override {
    AtenTensorHandle result = empty_strided({4}, {1}).release();
    const Handle view = reinterpret(result, {2}, {1}, 1);
    Handle owner(result);
    for (int64_t i = 0; i < 4; ++i) owner.data()[i] = 1;
    outputs[0] = owner.release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(LeaksWhereAShimFails, 0, 1)
