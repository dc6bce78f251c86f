// Section TENSOR, what a tensor is once it stands: codes, creation, attributes, lifetimes.
//
//   aoti-cts check --select 'TENSOR.*'          the built-in reference: every clause PASS or INFO
//
// Companions: tensor_copy.cpp (copy and clone), tensor_misc.cpp (item, grad mode, check, pinned),
// tensor_hostile.cpp (bad input), tensor_threads.cpp.
#include "suite/case.h"

namespace aoti_cts::suite {
namespace {

// Codes of the ABI (libtorch 2.15.0: c10/core/ScalarType.h, Layout.h, MemoryFormat.h,
// DeviceType.h).
struct Code {
  int32_t (*AotiShimTable::*getter)(void);
  const char* name;
  int32_t want;
};

#define GETTER(name, want) \
  { &AotiShimTable::aoti_torch_##name, #name, want }
constexpr Code core_codes[] = {
    GETTER(dtype_uint8, 0),    GETTER(dtype_int8, 1),      GETTER(dtype_int16, 2),
    GETTER(dtype_int32, 3),    GETTER(dtype_int64, 4),     GETTER(dtype_float16, 5),
    GETTER(dtype_float32, 6),  GETTER(dtype_bool, 11),     GETTER(dtype_bfloat16, 15),
    GETTER(layout_strided, 0), GETTER(device_type_cpu, 0), GETTER(device_type_cuda, 1),
};
#undef GETTER

}  // namespace

CLAUSE_CASES(TENSOR, codes) {
  for (const Code& code : core_codes) {
    cases.add(code.name, [code](Case& c) {
      HAVE_WANT_AS(code.name, c.shim(code.getter, code.name)(), code.want);
      HAVE_WANT_AS("second call", c.shim(code.getter, code.name)(), code.want);
    });
  }
}

}  // namespace aoti_cts::suite
