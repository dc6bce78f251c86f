#include "suite/case.h"
using namespace aoti_cts::suite;
CLAUSE_CASES(TENSOR, clone) {
  cases.add("null", [](Case& c) {
    AtenTensorHandle out = nullptr;
    HAVE_WANT(SHIM(aoti_torch_clone)(nullptr, &out) != 0, true);
    std::vector<int64_t> a{1, 2};
    HAVE_WANT_AS("sizes", a, a);
    NEED(out, nullptr);
  });
}
