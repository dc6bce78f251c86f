// Everything that could refuse is asked before the first byte is written, so that a failing copy
// leaves its destination as it was. Overlap is judged byte by byte: views that interleave without
// meeting are legal.
#include "tensor/copy.h"

#include <cstring>

#include "tensor/convert.h"

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

namespace {

// Strides that walk `from` along the sizes of `to`: 0 where a dimension is repeated.
Dims broadcast_strides(const Geometry& to, const Geometry& from) {
  if (from.ndim() > to.ndim()) {
    refuse("dimensions of src", static_cast<int64_t>(from.ndim()),
           "at most those of self, " + std::to_string(to.ndim()));
  }
  Dims strides(to.ndim(), 0);
  const std::size_t shift = to.ndim() - from.ndim();
  for (std::size_t dim = 0; dim < from.ndim(); ++dim) {
    const int64_t size = from.sizes[dim];
    const int64_t target = to.sizes[dim + shift];
    if (size == target) {
      strides[dim + shift] = from.strides[dim];
    } else if (size != 1) {
      refuse("size of src in dimension " + std::to_string(dim), size,
             "1 or that of self, " + std::to_string(target));
    }
  }
  return strides;
}

bool same_window(const Tensor& a, const Tensor& b) {
  return a.data() == b.data() && a.dtype() == b.dtype() && a.device() == b.device() &&
         a.geometry().sizes == b.geometry().sizes && a.geometry().strides == b.geometry().strides;
}

// True where an element of `a` and one of `b` share a byte.
bool share_bytes(const Tensor& a, const Tensor& b) {
  if (a.device() != b.device() || a.numel() == 0 || b.numel() == 0) return false;
  const auto a_start = reinterpret_cast<std::uintptr_t>(a.data());
  const auto b_start = reinterpret_cast<std::uintptr_t>(b.data());
  const auto a_span = static_cast<std::size_t>(a.span_bytes());
  const auto b_span = static_cast<std::size_t>(b.span_bytes());
  if (a_start >= b_start + b_span || b_start >= a_start + a_span) return false;
  std::vector<bool> taken(a_span);
  const auto a_size = static_cast<std::size_t>(item_size(a.dtype()));
  const Geometry& ga = a.geometry();
  for_each_index(ga.sizes, ga.strides, ga.strides, [&taken, a_size](int64_t at, int64_t) {
    const std::size_t first = static_cast<std::size_t>(at) * a_size;
    for (std::size_t i = 0; i < a_size; ++i) taken[first + i] = true;
  });
  const auto b_size = static_cast<std::size_t>(item_size(b.dtype()));
  bool shared = false;
  const Geometry& gb = b.geometry();
  for_each_index(gb.sizes, gb.strides, gb.strides, [&](int64_t at, int64_t) {
    const std::uintptr_t first = b_start + static_cast<std::size_t>(at) * b_size;
    for (std::uintptr_t byte = first; byte < first + b_size; ++byte) {
      shared = shared || (byte >= a_start && byte - a_start < a_span && taken[byte - a_start]);
    }
  });
  return shared;
}

// A tensor's span in host memory: the memory itself, or a copy of it where the host cannot reach.
class HostSpan {
 public:
  explicit HostSpan(const Tensor& tensor) : tensor_(tensor), data_(tensor.data()) {
    if (backend_of(tensor.device().type).host_addressable()) return;
    staged_.resize(static_cast<std::size_t>(tensor.span_bytes()));
    data_ = staged_.data();
    copy_bytes(Device{}, data_, tensor.device(), tensor.data(), tensor.span_bytes());
  }
  std::byte* data() const { return data_; }

  // Brings what was written back to the device.
  void commit() const {
    if (staged_.empty()) return;
    copy_bytes(tensor_.device(), tensor_.data(), Device{}, data_, tensor_.span_bytes());
  }

 private:
  const Tensor& tensor_;
  std::byte* data_;
  std::vector<std::byte> staged_;
};

struct Conversion {
  ReadElement read = nullptr;  // null where elements are copied as they are
  WriteElement write = nullptr;
};

Conversion conversion_between(DType to, DType from) {
  if (to == from) return {};
  const Conversion conversion{reader_of(from), writer_of(to)};
  if (conversion.read == nullptr || conversion.write == nullptr) {
    throw Error(std::string("dtype of src is ") + to_string(from) + ", which does not convert to " +
                to_string(to));
  }
  return conversion;
}

void copy_elements(const Tensor& to, const Tensor& from, const Dims& from_strides,
                   const Conversion& conversion) {
  const HostSpan target(to);
  const HostSpan source(from);
  std::byte* const out = target.data();
  const std::byte* const in = source.data();
  const int64_t out_size = item_size(to.dtype());
  const int64_t in_size = item_size(from.dtype());
  for_each_index(to.geometry().sizes, to.geometry().strides, from_strides,
                 [&](int64_t out_at, int64_t in_at) {
                   std::byte* const put = out + out_at * out_size;
                   const std::byte* const get = in + in_at * in_size;
                   if (conversion.read == nullptr) {
                     std::memcpy(put, get, static_cast<std::size_t>(out_size));
                   } else {
                     conversion.write(put, conversion.read(get));
                   }
                 });
  target.commit();
}

}  // namespace

void copy(const Tensor& to, const Tensor& from) {
  const Dims from_strides = broadcast_strides(to.geometry(), from.geometry());
  const Conversion conversion = conversion_between(to.dtype(), from.dtype());
  if (to.numel() == 0 || same_window(to, from)) return;
  if (overlaps_itself(to.geometry())) {
    throw Error("self has indices that share an element: what it would hold is undefined");
  }
  if (share_bytes(to, from)) throw Error("self and src overlap in part");
  const bool same_order = to.geometry().sizes == from.geometry().sizes &&
                          to.geometry().strides == from.geometry().strides;
  if (to.dtype() == from.dtype() && same_order && is_dense(to.geometry())) {
    copy_bytes(to.device(), to.data(), from.device(), from.data(), to.span_bytes());
    return;
  }
  copy_elements(to, from, from_strides, conversion);
}

std::unique_ptr<Tensor> clone(const Tensor& self) {
  Geometry geometry = self.geometry();
  if (!is_dense(geometry)) geometry.strides = packed_strides(geometry);
  auto made = make_empty(geometry, self.dtype(), self.device());
  copy(*made, self);
  return made;
}

std::unique_ptr<Tensor> clone_preserve_strides(const Tensor& self) {
  auto made = make_empty(self.geometry(), self.dtype(), self.device());
  copy_bytes(made->device(), made->data(), self.device(), self.data(), self.span_bytes());
  return made;
}

bool item_bool(const Tensor& self) {
  if (self.numel() != 1) refuse("number of elements of tensor", self.numel(), "1");
  const Conversion conversion{reader_of(self.dtype()), writer_of(DType::boolean)};
  if (conversion.read == nullptr) {
    throw Error(std::string("dtype of tensor is ") + to_string(self.dtype()) +
                ", which does not convert to bool");
  }
  const HostSpan source(self);
  std::byte truth{};
  conversion.write(&truth, conversion.read(source.data()));
  return truth != std::byte{0};
}

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
