// How many times this copy of the blob has run: two copies count each for itself.
#include <atomic>

#include "model.h"

namespace aoti_model {
namespace {

std::atomic<int64_t> runs{0};

class Counter : public Model {
 public:
  void run(std::vector<Handle>& /*inputs*/, AtenTensorHandle* outputs) override {
    Handle result = empty_strided({1}, {1}, cached_int64);
    *result.data<int64_t>() = ++runs;
    outputs[0] = result.release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(Counter, 0, 1)
