// All codes of the core profile, read in a static initialiser of the blob: as output 0; and once
// more as the model runs: as output 1.
#include <array>

#include "model.h"

namespace aoti_model {
namespace {

using Codes = std::array<int64_t, 12>;

Codes read_codes() {
  return {aoti_torch_dtype_uint8(),    aoti_torch_dtype_int8(),      aoti_torch_dtype_int16(),
          aoti_torch_dtype_int32(),    aoti_torch_dtype_int64(),     aoti_torch_dtype_float16(),
          aoti_torch_dtype_float32(),  aoti_torch_dtype_bfloat16(),  aoti_torch_dtype_bool(),
          aoti_torch_layout_strided(), aoti_torch_device_type_cpu(), aoti_torch_device_type_cuda()};
}

const Codes codes_at_load = read_codes();

class StaticCodes : public Model {
 public:
  void run(std::vector<Handle>& /*inputs*/, AtenTensorHandle* outputs) override {
    outputs[0] = tensor(codes_at_load).release();
    outputs[1] = tensor(read_codes()).release();
  }

 private:
  static Handle tensor(const Codes& codes) {
    // The code itself and not the getter: what this model says has to hold under a wrong one.
    constexpr int32_t int64 = 4;
    Handle result = empty_strided({12}, {1}, int64);
    for (std::size_t i = 0; i < codes.size(); ++i) result.data<int64_t>()[i] = codes[i];
    return result;
  }
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(StaticCodes, 0, 2)
