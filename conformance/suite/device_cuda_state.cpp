// What shims leave as they found it: the current device, and CUDA's last error.
//
// Run alone: aoti-cts check --virtual-cuda --profile cuda --select DEV.device-kept --select
// DEV.last-error; success prints one PASS line for each clause.
//
// Both are state of the calling thread that generated code goes on with: it launches on the device
// that is current, and asks for the last error after each launch.
#include "suite/cuda.h"
#include "suite/tensor_makers.h"

namespace aoti_cts::suite {
namespace {

const Geometry& shape() {
  static const Geometry geometry{"", {4, 6}, {6, 1}, 0};
  return geometry;
}

// -------------------------------------------------------------------------------- DEV.device-kept

/// The tensors that a call works on: two on device 1, one on the host.
struct Operands {
  Memory memory;
  Tensor host, device, other;

  explicit Operands(Case& c)
      : memory(shape(), float32()),
        host(from_blob(c, memory, shape(), float32())),
        device(on_cuda(c, shape(), float32(), 1)),
        other(on_cuda(c, shape(), float32(), 1)) {}
};

/// A call on a tensor of device 1. What it returns is judged elsewhere: here it may fail.
struct Call {
  const char* name;
  void (*make)(Case& c, const Operands& on);
};

void copy(Case& c, AtenTensorHandle to, AtenTensorHandle from) {
  SHIM(aoti_torch_copy_)(to, from, 0);
}

/// Deletes what a call made, unless it failed.
void let_go(Case& c, AOTITorchError error, AtenTensorHandle made) {
  const Tensor owned(c, error == 0 ? made : nullptr);
}

AOTITorchError empty(Case& c, const Geometry& geometry, int32_t code, AtenTensorHandle* out) {
  return SHIM(aoti_torch_empty_strided)(geometry.rank(), args(geometry.sizes),
                                        args(geometry.strides), code, device_cuda, 1, out);
}

constexpr Call calls[] = {
    {"empty_strided",
     [](Case& c, const Operands&) {
       AtenTensorHandle made = nullptr;
       const AOTITorchError error = empty(c, shape(), float32().code, &made);
       let_go(c, error, made);
     }},
    {"empty_strided_of_unknown_dtype",
     [](Case& c, const Operands&) {
       AtenTensorHandle made = nullptr;
       const AOTITorchError error = empty(c, shape(), 99, &made);
       let_go(c, error, made);
     }},
    {"empty_strided_of_4_TiB",
     [](Case& c, const Operands&) {
       AtenTensorHandle made = nullptr;
       const AOTITorchError error =
           empty(c, {"", {int64_t{1} << 40}, {1}, 0}, float32().code, &made);
       let_go(c, error, made);
     }},
    {"clone",
     [](Case& c, const Operands& on) {
       AtenTensorHandle made = nullptr;
       const AOTITorchError error = SHIM(aoti_torch_clone)(on.device.get(), &made);
       let_go(c, error, made);
     }},
    {"clone_preserve_strides",
     [](Case& c, const Operands& on) {
       AtenTensorHandle made = nullptr;
       const AOTITorchError error = SHIM(aoti_torch_clone_preserve_strides)(on.device.get(), &made);
       let_go(c, error, made);
     }},
    {"reinterpret",
     [](Case& c, const Operands& on) {
       view(c, on.device.get(), {"", {2}, {1}, 3});
     }},
    {"reinterpret_out_of_bounds",
     [](Case& c, const Operands& on) {
       const int64_t size = 1000;
       const int64_t stride = 1;
       AtenTensorHandle made = nullptr;
       const AOTITorchError error = SHIM(aoti_torch__reinterpret_tensor)(
           on.device.get(), int64_t{1}, &size, &stride, int64_t{0}, &made);
       let_go(c, error, made);
     }},
    {"copy_to_device",
     [](Case& c, const Operands& on) { copy(c, on.device.get(), on.host.get()); }},
    {"copy_to_host", [](Case& c, const Operands& on) { copy(c, on.host.get(), on.device.get()); }},
    {"copy_on_device",
     [](Case& c, const Operands& on) { copy(c, on.device.get(), on.other.get()); }},
    {"copy_to_another_device",
     [](Case& c, const Operands& on) {
       const Tensor on_0 = on_cuda(c, shape(), float32(), 0);
       copy(c, on_0.get(), on.device.get());
       copy(c, on.device.get(), on_0.get());
     }},
    {"copy_of_other_sizes",
     [](Case& c, const Operands& on) {
       const Tensor five = on_cuda(c, {"", {5}, {1}, 0}, float32(), 1);
       copy(c, on.device.get(), five.get());
       copy(c, on.host.get(), five.get());
       copy(c, five.get(), on.host.get());
     }},
    {"item_bool",
     [](Case& c, const Operands&) {
       const Tensor one = on_cuda(c, {"", {}, {}, 0}, dtype("bool"), 1);
       fill_device(c, get_data_ptr(c, one.get()), {"", {}, {}, 0}, dtype("bool"));
       bool value = false;
       SHIM(aoti_torch_item_bool)(one.get(), &value);
     }},
    {"item_bool_of_24_elements",
     [](Case& c, const Operands& on) {
       bool value = false;
       SHIM(aoti_torch_item_bool)(on.device.get(), &value);
     }},
    {"current_stream",
     [](Case& c, const Operands&) {
       void* stream = nullptr;
       SHIM(aoti_torch_get_current_cuda_stream)(1, &stream);
     }},
    {"empty_strided_pinned",
     [](Case& c, const Operands&) {
       AtenTensorHandle made = nullptr;
       const AOTITorchError error = SHIM(aoti_torch_empty_strided_pinned)(
           shape().rank(), args(shape().sizes), args(shape().strides), float32().code, device_cpu,
           -1, &made);
       let_go(c, error, made);
     }},
};

void keeps_device(Case& c, const Call& call) {
  need_devices(c, 2);
  const Operands operands(c);
  call.make(c, operands);
  HAVE_WANT_AS(fmt::format("current device after {}", call.name), current_device(c), 0);
}

// --------------------------------------------------------------------------------- DEV.last-error

/// A shim that must fail, and what CUDA's last error is then.
template <class Shim>
void leaves_no_error(Case& c, const char* what, Shim&& shim) {
  cuda(c).cudaGetLastError();
  if (shim() == 0) c.skip(fmt::format("{} succeeds here, and is judged elsewhere", what));
  HAVE_WANT_AS(fmt::format("CUDA's last error after {}", what),
               std::string(cuda(c).cudaGetErrorName(cuda(c).cudaGetLastError())),
               std::string("cudaSuccess"));
}

void error_of_guard(Case& c) {
  const int32_t count = device_count(c);
  CUDAGuardHandle guard = nullptr;
  leaves_no_error(c, "create_cuda_guard of an index out of range",
                  [&] { return SHIM(aoti_torch_create_cuda_guard)(count, &guard); });
}

void error_of_set_index(Case& c) {
  const int32_t count = device_count(c);
  const Guard guard = Guard::device(c, 0);
  leaves_no_error(c, "set_index of an index out of range",
                  [&] { return SHIM(aoti_torch_cuda_guard_set_index)(guard.get(), count); });
}

void error_of_allocation(Case& c) {
  const Geometry huge{"", {int64_t{1} << 40}, {1}, 0};
  AtenTensorHandle made = nullptr;
  leaves_no_error(c, "empty_strided of 4 TiB", [&] {
    cuda(c);
    return SHIM(aoti_torch_empty_strided)(huge.rank(), args(huge.sizes), args(huge.strides),
                                          float32().code, device_cuda, 0, &made);
  });
}

void error_of_host_memory(Case& c) {
  cuda(c);
  const Memory memory(shape(), float32());
  AtenTensorHandle made = nullptr;
  leaves_no_error(c, "create_tensor_from_blob of host memory on a device", [&] {
    return SHIM(aoti_torch_create_tensor_from_blob)(
        static_cast<void*>(memory.data()), shape().rank(), args(shape().sizes),
        args(shape().strides), int64_t{0}, float32().code, device_cuda, 0, &made);
  });
}

}  // namespace

CLAUSE_CASES(DEV, device_kept) {
  for (const Call& call : calls) {
    cases.add(call.name, [&call](Case& c) { keeps_device(c, call); });
  }
}

CLAUSE_CASES(DEV, last_error) {
  cases.add("create_cuda_guard", error_of_guard);
  cases.add("set_index", error_of_set_index);
  cases.add("empty_strided_of_4_TiB", error_of_allocation);
  cases.add("host_memory_as_device_memory", error_of_host_memory);
}

}  // namespace aoti_cts::suite
