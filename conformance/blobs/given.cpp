#include "blobs/given.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace aoti_cts::blobs {
namespace {

/// Calls a shim that the runtime may lack.
template <class Fn, class... Args>
void call(Fn fn, const char* name, Args... args) {
  if (fn == nullptr) throw Error(fmt::format("the runtime does not export {}", name));
  const AOTITorchError error = fn(args...);
  if (error != 0) throw Error(fmt::format("{} returned {}", name, error));
}
#define AOTI_CALL(shims, name, ...) call((shims).name, #name, __VA_ARGS__)

std::vector<int64_t> contiguous(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> strides(sizes.size());
  int64_t next = 1;
  for (std::size_t axis = sizes.size(); axis-- > 0;) {
    strides[axis] = next;
    next *= std::max<int64_t>(sizes[axis], 1);
  }
  return strides;
}

int64_t count(const std::vector<int64_t>& sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) product *= size;
  return product;
}

/// Copies elements of any strides in row-major order.
void gather(const char* first, const std::vector<int64_t>& sizes,
            const std::vector<int64_t>& strides, int64_t element, std::string& into) {
  const int64_t all = count(sizes);
  into.reserve(static_cast<std::size_t>(all * element));
  for (int64_t i = 0; i < all; ++i) {
    int64_t rest = i;
    int64_t at = 0;
    for (std::size_t axis = sizes.size(); axis-- > 0;) {
      at += rest % sizes[axis] * strides[axis];
      rest /= sizes[axis];
    }
    into.append(first + at * element, static_cast<std::size_t>(element));
  }
}

/// A new row-major tensor.
AtenTensorHandle empty(const AotiShimTable& shims, const std::vector<int64_t>& sizes, int32_t dtype,
                       const Device& device) {
  AtenTensorHandle handle = nullptr;
  const std::vector<int64_t> strides = contiguous(sizes);
  AOTI_CALL(shims, aoti_torch_empty_strided, static_cast<int64_t>(sizes.size()), sizes.data(),
            strides.data(), dtype, device.type, device.index, &handle);
  return handle;
}

void remove(const AotiShimTable& shims, const std::vector<AtenTensorHandle>& handles) {
  // Each distinct handle once: a slot may be null or repeat another.
  const std::set<AtenTensorHandle> distinct(handles.begin(), handles.end());
  for (AtenTensorHandle handle : distinct) {
    if (handle != nullptr) AOTI_CALL(shims, aoti_torch_delete_tensor_object, handle);
  }
}

}  // namespace

std::vector<Given>& given() {
  static std::vector<Given> models;
  return models;
}

Inputs::Inputs(const AotiShimTable& shims, const std::vector<Array>& arrays, const Device& device) {
  for (const Array& array : arrays) {
    // One unit more, so that one without elements has an address too.
    auto& memory = memory_.emplace_back(array.bytes.size() / sizeof(std::max_align_t) + 1);
    std::memcpy(memory.data(), array.bytes.data(), array.bytes.size());
    AtenTensorHandle handle = nullptr;
    const std::vector<int64_t> strides = contiguous(array.sizes);
    AOTI_CALL(shims, aoti_torch_create_tensor_from_blob, memory.data(),
              static_cast<int64_t>(array.sizes.size()), array.sizes.data(), strides.data(), 0,
              array.type->code, 0, 0, &handle);
    handles.push_back(handle);
    if (device.type == 0) continue;
    AtenTensorHandle there = empty(shims, array.sizes, array.type->code, device);
    AOTI_CALL(shims, aoti_torch_copy_, there, handle, 0);
    AOTI_CALL(shims, aoti_torch_delete_tensor_object, handle);
    handles.back() = there;
  }
}

Array read_tensor(const AotiShimTable& shims, AtenTensorHandle tensor, const Device& device) {
  int64_t ndim = 0;
  int64_t* sizes = nullptr;
  int64_t* strides = nullptr;
  int32_t dtype = -1;
  int32_t type = -1;
  void* data = nullptr;
  AOTI_CALL(shims, aoti_torch_get_dim, tensor, &ndim);
  AOTI_CALL(shims, aoti_torch_get_sizes, tensor, &sizes);
  AOTI_CALL(shims, aoti_torch_get_strides, tensor, &strides);
  AOTI_CALL(shims, aoti_torch_get_dtype, tensor, &dtype);
  AOTI_CALL(shims, aoti_torch_get_device_type, tensor, &type);
  AOTI_CALL(shims, aoti_torch_get_data_ptr, tensor, &data);
  Array array;
  array.type = find_element_type(dtype);
  if (array.type == nullptr) throw Error(fmt::format("dtype {} is not known here", dtype));
  if (ndim < 0 || ndim > 64) throw Error(fmt::format("the tensor has {} dimensions", ndim));
  array.sizes.assign(sizes, sizes + ndim);
  if (type != 0) {
    // On which one of several it is for BLOB.own-device to judge.
    if (type != device.type) {
      throw Error(fmt::format("the tensor is on a device of type {}, and the model on {}", type,
                              device.text));
    }
    AtenTensorHandle here = empty(shims, array.sizes, dtype, {});
    AOTI_CALL(shims, aoti_torch_copy_, here, tensor, 0);
    Array copied = read_tensor(shims, here, {});
    AOTI_CALL(shims, aoti_torch_delete_tensor_object, here);
    return copied;
  }
  gather(static_cast<const char*>(data), array.sizes, {strides, strides + ndim}, array.type->size,
         array.bytes);
  return array;
}

std::vector<Output> run_once(const AotiShimTable& shims, const Container& container,
                             const std::vector<Array>& inputs, const Device& device) {
  Inputs tensors(shims, inputs, device);
  std::vector<AtenTensorHandle> slots(container.outputs());
  const int32_t error = container.run(tensors.handles, slots);
  if (error != 0) {
    const std::string said = container.last_error();
    remove(shims, tensors.handles);
    throw Error(fmt::format("AOTInductorModelContainerRun returned {}{}{}", error,
                            said.empty() ? "" : ": ", said));
  }
  std::vector<Output> outputs;
  for (AtenTensorHandle slot : slots) {
    if (slot == nullptr) {
      outputs.emplace_back();
    } else {
      outputs.emplace_back(read_tensor(shims, slot, device));
    }
  }
  remove(shims, slots);
  return outputs;
}

std::string first_difference(const std::vector<Output>& have, const std::vector<Output>& want) {
  if (have.size() != want.size()) {
    return fmt::format("{} outputs, want {}", have.size(), want.size());
  }
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (have[i].has_value() != want[i].has_value()) {
      return fmt::format("output {} is {}, want {}", i, have[i] ? "a tensor" : "null",
                         want[i] ? "a tensor" : "null");
    }
    if (!have[i]) continue;
    const std::string difference = first_difference(*have[i], *want[i]);
    if (!difference.empty()) return fmt::format("output {}: {}", i, difference);
  }
  return "";
}

}  // namespace aoti_cts::blobs
