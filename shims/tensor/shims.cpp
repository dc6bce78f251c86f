// The core shims and this project's extensions, each a thin cover: arguments are judged here or in
// what is called, outputs are written last and on success only.
#include <aoti_shim/shim.h>

#include <cstdio>
#include <stdexcept>
#include <string>

#include "tensor/copy.h"
#include "tensor/error.h"
#include "tensor/tensor.h"

namespace reference = aoti_reference;

namespace {

thread_local bool grad_enabled = true;

constexpr int32_t kStrided = 0;

/// Runs a body that makes a tensor, and gives it away through `ret`.
template <class Make>
AOTITorchError making(const char* shim, const char* argument, AtenTensorHandle* ret, Make&& make) {
  return reference::guarded(shim, [&] {
    reference::require_not_null(ret, argument);
    *ret = reference::release_handle(make());
  });
}

/// Runs a body that reads one value off a tensor.
template <class T, class Get>
AOTITorchError reading(const char* shim, AtenTensorHandle tensor, const char* argument, T* ret,
                       Get&& get) {
  return reference::guarded(shim, [&] {
    reference::require_not_null(ret, argument);
    *ret = get(reference::tensor_of(tensor, "tensor"));
  });
}

std::unique_ptr<reference::Tensor> share(AtenTensorHandle handle, const char* argument) {
  return std::make_unique<reference::Tensor>(reference::tensor_of(handle, argument));
}

std::unique_ptr<reference::Tensor> from_blob(void* data, int64_t ndim, const int64_t* sizes,
                                             const int64_t* strides, int64_t offset, int32_t dtype,
                                             int32_t device_type, int32_t device_index) {
  const reference::Device device = reference::resolve_device(device_type, device_index);
  return reference::make_from_blob(data, reference::read_geometry(ndim, sizes, strides), offset,
                                   reference::dtype_of(dtype), device);
}

std::string located(const char* func, const char* file, uint32_t line, const char* msg) {
  const auto text = [](const char* given) { return std::string(given == nullptr ? "?" : given); };
  return text(file) + ":" + std::to_string(line) + ": " + text(func) + ": " + text(msg);
}

}  // namespace

// --- codes -------------------------------------------------------------------------------------

int32_t aoti_torch_device_type_cpu(void) { return reference::kCpu; }
int32_t aoti_torch_device_type_cuda(void) { return reference::kCuda; }
int32_t aoti_torch_layout_strided(void) { return kStrided; }

#define AOTI_DTYPE_GETTER(shim, name) \
  int32_t shim(void) { return static_cast<int32_t>(reference::DType::name); }
AOTI_DTYPE_GETTER(aoti_torch_dtype_bfloat16, bfloat16)
AOTI_DTYPE_GETTER(aoti_torch_dtype_bool, boolean)
AOTI_DTYPE_GETTER(aoti_torch_dtype_float16, float16)
AOTI_DTYPE_GETTER(aoti_torch_dtype_float32, float32)
AOTI_DTYPE_GETTER(aoti_torch_dtype_int16, int16)
AOTI_DTYPE_GETTER(aoti_torch_dtype_int32, int32)
AOTI_DTYPE_GETTER(aoti_torch_dtype_int64, int64)
AOTI_DTYPE_GETTER(aoti_torch_dtype_int8, int8)
AOTI_DTYPE_GETTER(aoti_torch_dtype_uint8, uint8)
#undef AOTI_DTYPE_GETTER

// --- making and ending handles -----------------------------------------------------------------

AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes_ptr,
                                        const int64_t* strides_ptr, int32_t dtype,
                                        int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* ret_new_tensor) {
  return making(__func__, "ret_new_tensor", ret_new_tensor, [&] {
    const reference::Device device = reference::resolve_device(device_type, device_index);
    return reference::make_empty(reference::read_geometry(ndim, sizes_ptr, strides_ptr),
                                 reference::dtype_of(dtype), device);
  });
}

AOTITorchError aoti_torch_empty_strided_pinned(int64_t ndim, const int64_t* sizes_ptr,
                                               const int64_t* strides_ptr, int32_t dtype,
                                               int32_t device_type, int32_t device_index,
                                               AtenTensorHandle* ret_new_tensor) {
  return making(__func__, "ret_new_tensor", ret_new_tensor, [&] {
    (void)device_index;  // pinned memory is the host's, whatever index came along
    if (device_type != reference::kCpu) {
      reference::refuse("device_type", device_type, "0 (cpu): pinned memory is host memory");
    }
    return reference::make_empty_pinned(reference::read_geometry(ndim, sizes_ptr, strides_ptr),
                                        reference::dtype_of(dtype));
  });
}

AOTITorchError aoti_torch_create_tensor_from_blob(void* data, int64_t ndim,
                                                  const int64_t* sizes_ptr,
                                                  const int64_t* strides_ptr,
                                                  int64_t storage_offset, int32_t dtype,
                                                  int32_t device_type, int32_t device_index,
                                                  AtenTensorHandle* ret) {
  return making(__func__, "ret", ret, [&] {
    return from_blob(data, ndim, sizes_ptr, strides_ptr, storage_offset, dtype, device_type,
                     device_index);
  });
}

AOTITorchError aoti_torch_create_tensor_from_blob_v2(
    void* data, int64_t ndim, const int64_t* sizes_ptr, const int64_t* strides_ptr,
    int64_t storage_offset, int32_t dtype, int32_t device_type, int32_t device_index,
    AtenTensorHandle* ret, int32_t layout, const uint8_t* opaque_metadata,
    int64_t opaque_metadata_size) {
  return making(__func__, "ret", ret, [&] {
    if (layout != kStrided) reference::refuse("layout", layout, "0 (strided)");
    // A strided layout has no metadata, so what is said about it is judged and not read.
    if (opaque_metadata_size < 0) {
      reference::refuse("opaque_metadata_size", opaque_metadata_size, "at least 0");
    }
    if (opaque_metadata_size > 0) reference::require_not_null(opaque_metadata, "opaque_metadata");
    return from_blob(data, ndim, sizes_ptr, strides_ptr, storage_offset, dtype, device_type,
                     device_index);
  });
}

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  return making(__func__, "ret_new_tensor", ret_new_tensor, [&] {
    return reference::make_view(reference::tensor_of(self, "self"),
                                reference::read_geometry(ndim, sizes_ptr, strides_ptr),
                                storage_offset);
  });
}

AOTITorchError aoti_torch_new_tensor_handle(AtenTensorHandle orig_handle,
                                            AtenTensorHandle* new_handle) {
  return making(__func__, "new_handle", new_handle,
                [&] { return share(orig_handle, "orig_handle"); });
}

AOTITorchError aoti_torch_assign_tensors_out(AtenTensorHandle src, AtenTensorHandle* ret_dst) {
  return making(__func__, "ret_dst", ret_dst, [&] { return share(src, "src"); });
}

AOTITorchError aoti_torch_clone(AtenTensorHandle self, AtenTensorHandle* ret) {
  return making(__func__, "ret", ret,
                [&] { return reference::clone(reference::tensor_of(self, "self")); });
}

AOTITorchError aoti_torch_clone_preserve_strides(AtenTensorHandle self, AtenTensorHandle* ret) {
  return making(__func__, "ret", ret, [&] {
    return reference::clone_preserve_strides(reference::tensor_of(self, "self"));
  });
}

// Null is left alone and a success, as with free().
AOTITorchError aoti_torch_delete_tensor_object(AtenTensorHandle tensor) {
  return reference::guarded(__func__, [&] {
    reference::clear_deferred();
    reference::delete_handle(tensor);
    reference::throw_deferred();  // what a device refused to take back
  });
}

// --- reading attributes ------------------------------------------------------------------------

AOTITorchError aoti_torch_get_data_ptr(AtenTensorHandle tensor, void** ret_data_ptr) {
  return reading(__func__, tensor, "ret_data_ptr", ret_data_ptr,
                 [](const reference::Tensor& self) { return static_cast<void*>(self.data()); });
}

AOTITorchError aoti_torch_get_storage_size(AtenTensorHandle tensor, int64_t* ret_size) {
  return reading(__func__, tensor, "ret_size", ret_size,
                 [](const reference::Tensor& self) { return self.storage()->bytes(); });
}

AOTITorchError aoti_torch_get_storage_offset(AtenTensorHandle tensor, int64_t* ret_storage_offset) {
  return reading(__func__, tensor, "ret_storage_offset", ret_storage_offset,
                 [](const reference::Tensor& self) { return self.offset(); });
}

AOTITorchError aoti_torch_get_dim(AtenTensorHandle tensor, int64_t* ret_dim) {
  return reading(__func__, tensor, "ret_dim", ret_dim, [](const reference::Tensor& self) {
    return static_cast<int64_t>(self.geometry().ndim());
  });
}

AOTITorchError aoti_torch_get_numel(AtenTensorHandle tensor, int64_t* ret_numel) {
  return reading(__func__, tensor, "ret_numel", ret_numel,
                 [](const reference::Tensor& self) { return self.numel(); });
}

// The ABI hands the arrays out as writable; they are the handle's own, and nobody may write there.
AOTITorchError aoti_torch_get_sizes(AtenTensorHandle tensor, int64_t** ret_sizes) {
  return reading(__func__, tensor, "ret_sizes", ret_sizes, [](const reference::Tensor& self) {
    return const_cast<int64_t*>(self.geometry().sizes.data());
  });
}

AOTITorchError aoti_torch_get_strides(AtenTensorHandle tensor, int64_t** ret_strides) {
  return reading(__func__, tensor, "ret_strides", ret_strides, [](const reference::Tensor& self) {
    return const_cast<int64_t*>(self.geometry().strides.data());
  });
}

AOTITorchError aoti_torch_get_dtype(AtenTensorHandle tensor, int32_t* ret_dtype) {
  return reading(__func__, tensor, "ret_dtype", ret_dtype,
                 [](const reference::Tensor& self) { return static_cast<int32_t>(self.dtype()); });
}

AOTITorchError aoti_torch_get_device_type(AtenTensorHandle tensor, int32_t* ret_device_type) {
  return reading(__func__, tensor, "ret_device_type", ret_device_type,
                 [](const reference::Tensor& self) { return self.device().type; });
}

AOTITorchError aoti_torch_get_device_index(AtenTensorHandle tensor, int32_t* ret_device_index) {
  return reading(__func__, tensor, "ret_device_index", ret_device_index,
                 [](const reference::Tensor& self) { return self.device().index; });
}

AOTITorchError aoti_torch_item_bool(AtenTensorHandle tensor, bool* ret_value) {
  return reading(__func__, tensor, "ret_value", ret_value,
                 [](const reference::Tensor& self) { return reference::item_bool(self); });
}

// --- copying -----------------------------------------------------------------------------------

AOTITorchError aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src, int32_t non_blocking) {
  return reference::guarded(__func__, [&] {
    (void)non_blocking;  // leave to be late, of which the host makes no use
    reference::copy(reference::tensor_of(self, "self"), reference::tensor_of(src, "src"));
  });
}

// --- mode, checks, warnings --------------------------------------------------------------------

bool aoti_torch_grad_mode_is_enabled(void) { return grad_enabled; }
void aoti_torch_grad_mode_set_enabled(bool enabled) { grad_enabled = enabled; }

// The one shim that throws: generated code relies on a failed check not to return.
void aoti_torch_check(bool cond, const char* func, const char* file, uint32_t line,
                      const char* msg) {
  if (!cond) throw std::runtime_error("check failed: " + located(func, file, line, msg));
}

void aoti_torch_warn(const char* func, const char* file, uint32_t line, const char* msg) {
  const auto put = [](const char* given) { return given == nullptr ? "?" : given; };
  std::fprintf(stderr, "warning: %s:%u: %s: %s\n", put(file), static_cast<unsigned>(line),
               put(func), put(msg));
}

// --- extensions --------------------------------------------------------------------------------

const char* aoti_cts_last_error(void) { return reference::last_error(); }
int64_t aoti_cts_live_handles(void) { return reference::live_tensors(); }
int64_t aoti_cts_live_storages(void) { return reference::live_storages(); }
