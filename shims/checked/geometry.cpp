// What the reference takes for sizes and strides. A file of its own, as the other files of this
// folder know nothing of the reference's internals.
#include "tensor/geometry.h"

#include "checked/ledger.h"

namespace aoti_checked {

bool is_geometry(int64_t ndim, const int64_t* sizes, const int64_t* strides) noexcept {
  try {
    aoti_reference::read_geometry(ndim, sizes, strides);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace aoti_checked
