// The shims of the cuda_ops tier. What can be computed on the host is, and moved to the device:
// right in shape, dtype, range and order. The products with packed integer weights answer "not
// implemented": their packing is the kernel's own affair, so a host version would test nothing.
#include <aoti_shim/shim.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "device/cuda/runtime.h"
#include "tensor/convert.h"
#include "tensor/copy.h"

namespace reference = aoti_reference;
using reference::DType;
using reference::Geometry;
using reference::Number;
using reference::Tensor;

namespace {

/// A tensor's elements in host memory, packed in row-major order.
struct HostElements {
  Geometry geometry;
  DType dtype;
  std::vector<std::byte> bytes;

  std::byte* at(int64_t index) {
    return bytes.data() + static_cast<std::size_t>(index * reference::item_size(dtype));
  }
};

reference::Dims row_major(const reference::Dims& sizes) {
  reference::Dims strides(sizes.size(), 1);
  for (std::size_t dim = sizes.size(); dim > 1; --dim) {
    strides[dim - 2] = strides[dim - 1] * std::max<int64_t>(sizes[dim - 1], 1);
  }
  return strides;
}

Geometry packed(const Geometry& geometry) {
  Geometry result = geometry;
  result.strides = row_major(geometry.sizes);
  return result;
}

HostElements make_host(const Geometry& geometry, DType dtype) {
  const int64_t bytes =
      reference::checked_mul(geometry.numel, reference::item_size(dtype), "bytes of the result");
  return {packed(geometry), dtype, std::vector<std::byte>(static_cast<std::size_t>(bytes))};
}

HostElements read_elements(const Tensor& from) {
  HostElements host = make_host(from.geometry(), from.dtype());
  const auto tensor = reference::make_from_blob(host.bytes.data(), host.geometry, 0, host.dtype,
                                                reference::Device{});
  reference::copy(*tensor, from);
  return host;
}

void write_elements(const Tensor& to, HostElements& host) {
  const auto tensor = reference::make_from_blob(host.bytes.data(), host.geometry, 0, host.dtype,
                                                reference::Device{});
  reference::copy(to, *tensor);
}

std::unique_ptr<Tensor> on_device(HostElements& host, reference::Device device) {
  auto made = reference::make_empty(host.geometry, host.dtype, device);
  write_elements(*made, host);
  return made;
}

/// splitmix64 over a counter that starts at a fixed value: thread-safe, and the same in every run.
uint64_t next_random() {
  static std::atomic<uint64_t> counter{0};
  uint64_t x = counter.fetch_add(1) * 0x9E3779B97F4A7C15U + 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

/// Order of sort: NaN is larger than every number.
bool less(const Number& a, const Number& b) {
  switch (a.kind) {
    case Number::Kind::Signed:
      return a.as_signed < b.as_signed;
    case Number::Kind::Unsigned:
      return a.as_unsigned < b.as_unsigned;
    case Number::Kind::Real:
      break;
  }
  if (std::isnan(a.as_real)) return false;
  return std::isnan(b.as_real) || a.as_real < b.as_real;
}

const Tensor& cuda_tensor(AtenTensorHandle handle, const char* argument) {
  const Tensor& tensor = reference::tensor_of(handle, argument);
  if (tensor.device().type != reference::kCuda) {
    reference::refuse(std::string("device type of ") + argument, tensor.device().type, "1 (cuda)");
  }
  return tensor;
}

int64_t wrap_dim(int64_t dim, int64_t ndim) {
  const int64_t span = std::max<int64_t>(ndim, 1);
  if (dim < -span || dim >= span) {
    reference::refuse("dim", dim,
                      "from " + std::to_string(-span) + " to " + std::to_string(span - 1));
  }
  return dim < 0 ? dim + span : dim;
}

/// Sorts one line of `size` elements, `step` apart from `first` on: values and where they stood.
void sort_line(HostElements& values, HostElements& indices, int64_t first, int64_t size,
               int64_t step, bool descending) {
  const auto read = reference::reader_of(values.dtype);
  const auto write = reference::writer_of(values.dtype);
  std::vector<Number> numbers;
  for (int64_t i = 0; i < size; ++i) numbers.push_back(read(values.at(first + i * step)));
  std::vector<int64_t> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  const auto number = [&](int64_t i) -> const Number& {
    return numbers[static_cast<std::size_t>(i)];
  };
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return descending ? less(number(b), number(a)) : less(number(a), number(b));
  });
  for (int64_t i = 0; i < size; ++i) {
    const int64_t from = order[static_cast<std::size_t>(i)];
    write(values.at(first + i * step), number(from));
    std::copy_n(reinterpret_cast<const std::byte*>(&from), sizeof from,
                indices.at(first + i * step));
  }
}

void sort_lines(HostElements& values, HostElements& indices, int64_t dim, bool descending) {
  const Geometry& geometry = values.geometry;
  if (geometry.numel == 0) return;
  if (geometry.ndim() == 0) return sort_line(values, indices, 0, 1, 1, descending);
  const auto at = static_cast<std::size_t>(dim);
  const int64_t size = geometry.sizes[at];
  const int64_t step = geometry.strides[at];
  for (int64_t block = 0; block < geometry.numel; block += size * step) {
    for (int64_t inner = 0; inner < step; ++inner) {
      sort_line(values, indices, block + inner, size, step, descending);
    }
  }
}

/// Bits of a fraction that the dtype holds exactly, so that a draw is never rounded up to 1.
int fraction_bits(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return 11;
    case DType::bfloat16:
      return 8;
    case DType::float32:
      return 24;
    case DType::float64:
      return 53;
    default:
      throw reference::Error(std::string("dtype is ") + reference::to_string(dtype) +
                             ", must be a real floating-point one");
  }
}

/// Largest n for which the dtype holds every integer from 0 to n; empty where that is all of int64.
std::optional<int64_t> largest_integer(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return 1;
    case DType::uint8:
      return 255;
    case DType::int8:
      return 127;
    case DType::int16:
      return 32767;
    case DType::int32:
      return 2147483647;
    case DType::int64:
      return std::nullopt;
    default:
      return int64_t{1} << fraction_bits(dtype);
  }
}

Geometry sized(const int64_t* size, int64_t length) {
  std::vector<int64_t> zeros(static_cast<std::size_t>(std::clamp<int64_t>(length, 0, 64)), 0);
  return packed(reference::read_geometry(length, size, zeros.data()));
}

AOTITorchError not_implemented(const char* shim) {
  return reference::guarded(shim, [] {
    throw reference::Error("not implemented: products with packed weights need their kernels");
  });
}

}  // namespace

AOTITorchError aoti_torch_cuda_sort_stable(AtenTensorHandle self, int32_t* stable, int64_t dim,
                                           int32_t descending, AtenTensorHandle* ret0,
                                           AtenTensorHandle* ret1) {
  return reference::guarded(__func__, [&] {
    (void)stable;  // a stable order serves who did not ask for one
    reference::require_not_null(ret0, "ret0");
    reference::require_not_null(ret1, "ret1");
    const Tensor& tensor = cuda_tensor(self, "self");
    const int64_t along = wrap_dim(dim, static_cast<int64_t>(tensor.geometry().ndim()));
    if (reference::reader_of(tensor.dtype()) == nullptr) {
      throw reference::Error(std::string("dtype of self is ") +
                             reference::to_string(tensor.dtype()) + ", which has no order");
    }
    HostElements values = read_elements(tensor);
    HostElements indices = make_host(values.geometry, DType::int64);
    sort_lines(values, indices, along, descending != 0);
    auto sorted = on_device(values, tensor.device());
    auto places = on_device(indices, tensor.device());
    *ret0 = reference::release_handle(std::move(sorted));
    *ret1 = reference::release_handle(std::move(places));
  });
}

AOTITorchError aoti_torch_cuda_rand(const int64_t* size, int64_t size_len_, int32_t* dtype,
                                    int32_t* layout, int32_t* device, int32_t device_index_,
                                    int32_t* pin_memory, AtenTensorHandle* ret0) {
  return reference::guarded(__func__, [&] {
    reference::require_not_null(ret0, "ret0");
    const DType type = dtype == nullptr ? DType::float32 : reference::dtype_of(*dtype);
    if (layout != nullptr && *layout != 0) reference::refuse("layout", *layout, "0 (strided)");
    const int32_t device_type = device == nullptr ? reference::kCuda : *device;
    if (device_type != reference::kCuda) {
      reference::refuse("device", device_type, "1 (cuda)");
    }
    if (pin_memory != nullptr && *pin_memory != 0) {
      reference::refuse("pin_memory", *pin_memory, "0: only host memory can be pinned");
    }
    const auto target = reference::resolve_device(device_type, device_index_);
    const int bits = fraction_bits(type);
    HostElements values = make_host(sized(size, size_len_), type);
    const auto write = reference::writer_of(type);
    for (int64_t i = 0; i < values.geometry.numel; ++i) {
      Number number;
      number.kind = Number::Kind::Real;
      number.as_real = std::ldexp(static_cast<double>(next_random() >> (64 - bits)), -bits);
      write(values.at(i), number);
    }
    *ret0 = reference::release_handle(on_device(values, target));
  });
}

AOTITorchError aoti_torch_cuda_randint_low_out(AtenTensorHandle out, int64_t low, int64_t high,
                                               const int64_t* size, int64_t size_len_) {
  return reference::guarded(__func__, [&] {
    const Tensor& tensor = cuda_tensor(out, "out");
    const Geometry wanted = sized(size, size_len_);
    if (wanted.sizes != tensor.geometry().sizes) {
      throw reference::Error("size is not that of out, which this runtime does not resize");
    }
    if (low >= high) reference::refuse("high", high, "above low, " + std::to_string(low));
    const auto limit = largest_integer(tensor.dtype());
    const bool is_unsigned = tensor.dtype() == DType::uint8 || tensor.dtype() == DType::boolean;
    if (limit && (high - 1 > *limit || low < (is_unsigned ? 0 : -*limit))) {
      throw reference::Error(std::string("low or high is beyond what ") +
                             reference::to_string(tensor.dtype()) + " holds exactly");
    }
    HostElements values = make_host(tensor.geometry(), tensor.dtype());
    const auto write = reference::writer_of(tensor.dtype());
    const uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    for (int64_t i = 0; i < values.geometry.numel; ++i) {
      Number number;
      number.as_signed = static_cast<int64_t>(static_cast<uint64_t>(low) + next_random() % span);
      write(values.at(i), number);
    }
    write_elements(tensor, values);
  });
}

AOTITorchError aoti_torch_cuda__weight_int4pack_mm(AtenTensorHandle, AtenTensorHandle, int64_t,
                                                   AtenTensorHandle, AtenTensorHandle*) {
  return not_implemented(__func__);
}

AOTITorchError aoti_torch_cuda_int4_plain_mm(AtenTensorHandle, AtenTensorHandle, AtenTensorHandle,
                                             AtenTensorHandle, AtenTensorHandle, AtenTensorHandle,
                                             int64_t, AtenTensorHandle*) {
  return not_implemented(__func__);
}

AOTITorchError aoti_torch_cuda_int5_plain_mm(AtenTensorHandle, AtenTensorHandle, AtenTensorHandle,
                                             AtenTensorHandle, AtenTensorHandle, AtenTensorHandle,
                                             AtenTensorHandle, int64_t, AtenTensorHandle*) {
  return not_implemented(__func__);
}

AOTITorchError aoti_torch_cuda_int6_plain_mm(AtenTensorHandle, AtenTensorHandle, AtenTensorHandle,
                                             AtenTensorHandle, AtenTensorHandle, int64_t,
                                             AtenTensorHandle*) {
  return not_implemented(__func__);
}

AOTITorchError aoti_torch_cuda_int8_plain_mm(AtenTensorHandle, AtenTensorHandle, AtenTensorHandle,
                                             AtenTensorHandle, int64_t, AtenTensorHandle*) {
  return not_implemented(__func__);
}
