// The shims that judge more than their handles, and the functions of tier checked. All others are
// in the generated forward.cpp.
#include "checked/forward.h"

using aoti_checked::Calling;

namespace {

/// Both getters of arrays lend a copy that closes as the handle dies.
AOTITorchError lend_array(const char* shim, AtenTensorHandle tensor, bool strides, int64_t** ret) {
  Calling calling(shim);
  AtenTensorHandle real = calling.real(tensor);
  if (calling.refused()) return 1;
  int64_t ndim = 0;
  int64_t* real_sizes = nullptr;
  int64_t* real_strides = nullptr;
  const AOTITorchError errors[] = {
      ref_aoti_torch_get_dim(real, &ndim),
      ref_aoti_torch_get_sizes(real, ret == nullptr ? nullptr : &real_sizes),
      ref_aoti_torch_get_strides(real, &real_strides),
  };
  for (const AOTITorchError error : errors) {
    if (error != 0) return error;
  }
  int64_t* arrays = calling.arrays(tensor);
  if (arrays == nullptr) {
    arrays = calling.lend_arrays(tensor, ndim, real_sizes, real_strides);
  }
  if (arrays == nullptr || ret == nullptr) return 1;
  *ret = strides ? arrays + ndim : arrays;
  return 0;
}

}  // namespace

AOTITorchError aoti_torch_delete_tensor_object(AtenTensorHandle tensor) {
  Calling calling(__func__);
  AtenTensorHandle real = calling.die(tensor);
  if (calling.refused()) return 1;
  return ref_aoti_torch_delete_tensor_object(real);
}

AOTITorchError aoti_torch_get_sizes(AtenTensorHandle tensor, int64_t** ret_sizes) {
  return lend_array(__func__, tensor, false, ret_sizes);
}

AOTITorchError aoti_torch_get_strides(AtenTensorHandle tensor, int64_t** ret_strides) {
  return lend_array(__func__, tensor, true, ret_strides);
}

// The reference refuses a view for what is wrong with its sizes and strides, or because it reaches
// outside the storage.
AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  Calling calling(__func__);
  AtenTensorHandle real = calling.real(self);
  if (calling.refused()) return 1;
  const AOTITorchError error = ref_aoti_torch__reinterpret_tensor(
      real, ndim, sizes_ptr, strides_ptr, storage_offset, ret_new_tensor);
  if (error == 0) {
    *ret_new_tensor = calling.born(*ret_new_tensor);
  } else if (real != nullptr && ret_new_tensor != nullptr &&
             aoti_checked::is_geometry(ndim, sizes_ptr, strides_ptr)) {
    aoti_checked::add_finding(
        aoti_checked::kOutOfStorageView,
        text(calling.call()) + " on " + calling.describe(self) + ": " + ref_aoti_cts_last_error());
  }
  return error;
}

int64_t aoti_cts_checked_findings(void) { return aoti_checked::findings(); }
const char* aoti_cts_checked_finding(int64_t i) { return aoti_checked::finding(i); }
int64_t aoti_cts_checked_live(void) { return aoti_checked::live(); }
void aoti_cts_checked_report_leaks(void) { aoti_checked::report_leaks(); }
void aoti_cts_checked_reset(void) { aoti_checked::reset(); }
void* aoti_cts_checked_lend(int64_t bytes, const char* what) {
  return aoti_checked::lend(__func__, bytes, what);
}
void aoti_cts_checked_end_loan(void* data) { aoti_checked::end_loan(__func__, data); }
