// Where each of two inputs is: int64[2, 3] of device type, device index and data pointer.
#include "model.h"

namespace aoti_model {
namespace {

class InputPlaces : public Model {
 public:
  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    Handle result = empty_strided({2, 3}, {3, 1}, cached_int64);
    int64_t* row = result.data<int64_t>();
    for (const Handle& input : inputs) {
      int32_t type = -1;
      int32_t index = -1;
      AOTI_CALL(aoti_torch_get_device_type(input, &type));
      AOTI_CALL(aoti_torch_get_device_index(input, &index));
      *row++ = type;
      *row++ = index;
      *row++ = static_cast<int64_t>(reinterpret_cast<intptr_t>(input.data<void>()));
    }
    outputs[0] = result.release();
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(InputPlaces, 2, 1)
