// Geometry arithmetic. Overflow is found by the compiler's checked built-ins, never by comparing a
// result that has already wrapped.
#include "tensor/geometry.h"

#include <algorithm>
#include <numeric>

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

namespace {

[[noreturn]] void overflowed(int64_t a, const char* sign, int64_t b, const char* what) {
  throw Error(std::string(what) + ": " + std::to_string(a) + " " + sign + " " + std::to_string(b) +
              " exceeds 9223372036854775807");
}

std::string element(const char* array, int64_t dim) {
  return std::string(array) + "[" + std::to_string(dim) + "]";
}

// How two dimensions stand in the packed order: below zero where `a` is to vary faster than `b`,
// above zero where slower, zero where it cannot be told (a stride of 0, or nothing differs).
int compare_dims(const Geometry& geometry, std::size_t a, std::size_t b) {
  const int64_t stride_a = geometry.strides[a];
  const int64_t stride_b = geometry.strides[b];
  if (stride_a == 0 || stride_b == 0) return 0;
  if (stride_a != stride_b) return stride_a < stride_b ? -1 : 1;
  return geometry.sizes[a] > geometry.sizes[b] ? 1 : 0;
}

// Dimensions of more than one element, fastest (smallest stride) first.
std::vector<std::size_t> moving_dims(const Geometry& geometry) {
  std::vector<std::size_t> dims;
  for (std::size_t dim = 0; dim < geometry.ndim(); ++dim) {
    if (geometry.sizes[dim] > 1) dims.push_back(dim);
  }
  std::sort(dims.begin(), dims.end(), [&geometry](std::size_t a, std::size_t b) {
    return geometry.strides[a] < geometry.strides[b];
  });
  return dims;
}

}  // namespace

int64_t checked_add(int64_t a, int64_t b, const char* what) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) overflowed(a, "+", b, what);
  return sum;
}

int64_t checked_mul(int64_t a, int64_t b, const char* what) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) overflowed(a, "*", b, what);
  return product;
}

Geometry read_geometry(int64_t ndim, const int64_t* sizes, const int64_t* strides) {
  if (ndim < 0 || ndim > kMaxDims) {
    refuse("ndim", ndim, "from 0 to " + std::to_string(kMaxDims));
  }
  Geometry geometry;
  if (ndim == 0) return geometry;
  require_not_null(sizes, "sizes_ptr");
  require_not_null(strides, "strides_ptr");
  geometry.sizes.assign(sizes, sizes + ndim);
  geometry.strides.assign(strides, strides + ndim);
  bool empty = false;
  for (int64_t dim = 0; dim < ndim; ++dim) {
    const auto at = static_cast<std::size_t>(dim);
    if (geometry.sizes[at] < 0) {
      refuse(element("sizes_ptr", dim), geometry.sizes[at], "at least 0");
    }
    if (geometry.strides[at] < 0) {
      refuse(element("strides_ptr", dim), geometry.strides[at], "at least 0");
    }
    empty = empty || geometry.sizes[at] == 0;
  }
  if (empty) {
    geometry.numel = 0;
    return geometry;
  }
  for (const int64_t size : geometry.sizes) {
    geometry.numel = checked_mul(geometry.numel, size, "number of elements");
  }
  return geometry;
}

int64_t extent(const Geometry& geometry) {
  if (geometry.numel == 0) return 0;
  int64_t last = 0;
  for (std::size_t dim = 0; dim < geometry.ndim(); ++dim) {
    const int64_t reach =
        checked_mul(geometry.sizes[dim] - 1, geometry.strides[dim], "extent in elements");
    last = checked_add(last, reach, "extent in elements");
  }
  return checked_add(last, 1, "extent in elements");
}

bool is_dense(const Geometry& geometry) {
  if (geometry.numel == 0) return true;
  int64_t expected = 1;
  for (const std::size_t dim : moving_dims(geometry)) {
    if (geometry.strides[dim] != expected) return false;
    expected *= geometry.sizes[dim];
  }
  return true;
}

Dims packed_strides(const Geometry& geometry) {
  const std::size_t ndim = geometry.ndim();
  // Fastest first: row-major to begin with, then an insertion sort. A comparison that cannot be
  // told neither moves a dimension nor ends its way, so that a stride of 0 is no barrier.
  std::vector<std::size_t> order(ndim);
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  for (std::size_t i = 1; i < ndim; ++i) {
    std::size_t moving = i;
    for (std::size_t below = i; below-- > 0;) {
      const int compared = compare_dims(geometry, order[below], order[moving]);
      if (compared < 0) break;
      if (compared > 0) {
        std::swap(order[below], order[moving]);
        moving = below;
      }
    }
  }
  Dims strides(ndim, 0);
  int64_t stride = 1;
  for (const std::size_t dim : order) {
    strides[dim] = stride;
    stride *= std::max<int64_t>(geometry.sizes[dim], 1);
  }
  return strides;
}

bool overlaps_itself(const Geometry& geometry) {
  if (geometry.numel == 0) return false;
  // Where each stride steps over all that the faster dimensions reach, nothing can meet.
  int64_t reached = 0;
  bool nested = true;
  for (const std::size_t dim : moving_dims(geometry)) {
    if (geometry.strides[dim] == 0) return true;
    nested = nested && geometry.strides[dim] > reached;
    reached += (geometry.sizes[dim] - 1) * geometry.strides[dim];
  }
  if (nested) return false;
  if (geometry.numel > reached + 1) return true;
  std::vector<bool> taken(static_cast<std::size_t>(reached + 1));
  bool twice = false;
  for_each_index(geometry.sizes, geometry.strides, geometry.strides,
                 [&taken, &twice](int64_t at, int64_t) {
                   const auto element = static_cast<std::size_t>(at);
                   twice = twice || taken[element];
                   taken[element] = true;
                 });
  return twice;
}

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
