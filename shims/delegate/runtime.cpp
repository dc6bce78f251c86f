// See runtime.h.
#include "delegate/runtime.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>

namespace aoti_cts::delegate {

Runtime::Runtime(const std::string& path, const std::string& prefix)
    : library_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) {
  if (library_ == nullptr) throw Error("the runtime " + path + " is not loaded");
  for (const AotiShimRow& row : aoti_shim_rows) {
    void* const found = dlsym(library_, (prefix + row.name).c_str());
    std::memcpy(reinterpret_cast<char*>(&shims_) + row.slot, &found, sizeof(found));
  }
  const bool whole =
      shims_.aoti_torch_create_tensor_from_blob_v2 != nullptr &&
      shims_.aoti_torch_delete_tensor_object != nullptr && shims_.aoti_torch_get_dtype != nullptr &&
      shims_.aoti_torch_get_dim != nullptr && shims_.aoti_torch_get_sizes != nullptr &&
      shims_.aoti_torch_copy_ != nullptr && shims_.aoti_torch_layout_strided != nullptr;
  if (whole) return;
  dlclose(library_);
  throw Error(path + " lacks a shim that a delegate calls under the prefix '" + prefix + "'");
}

Runtime::~Runtime() { dlclose(library_); }

void Runtime::check(AOTITorchError code, const char* shim) {
  if (code != 0) throw Error(std::string(shim) + " returned " + std::to_string(code));
}

AtenTensorHandle Runtime::borrow(const Seen& seen) const {
  AtenTensorHandle made = nullptr;
  check(shims_.aoti_torch_create_tensor_from_blob_v2(
            seen.data, static_cast<int64_t>(seen.sizes.size()), seen.sizes.data(),
            seen.strides.data(), 0, seen.scalar_type, seen.device_type, seen.device_index, &made,
            shims_.aoti_torch_layout_strided(), nullptr, 0),
        "create_tensor_from_blob_v2");
  return made;
}

int32_t Runtime::dtype_of(AtenTensorHandle tensor) const {
  int32_t code = -1;
  check(shims_.aoti_torch_get_dtype(tensor, &code), "get_dtype");
  return code;
}

std::vector<int64_t> Runtime::sizes_of(AtenTensorHandle tensor) const {
  int64_t rank = 0;
  int64_t* sizes = nullptr;
  check(shims_.aoti_torch_get_dim(tensor, &rank), "get_dim");
  check(shims_.aoti_torch_get_sizes(tensor, &sizes), "get_sizes");
  return {sizes, sizes + rank};
}

Handles::~Handles() {
  for (auto slot = slots.begin(); slot != slots.end(); ++slot) {
    const bool repeated = std::find(slots.begin(), slot, *slot) != slot;
    if (*slot == nullptr || repeated) continue;
    runtime_.shims().aoti_torch_delete_tensor_object(*slot);
  }
}

}  // namespace aoti_cts::delegate
