// Sizes and strides: the arithmetic that decides where an element lies and how much memory a tensor
// needs. Nothing here knows of memory; all sums and products are checked 64-bit ones, so that a
// geometry that was accepted can be walked without further tests.
#pragma once

#include "tensor/dims.h"
#include "tensor/error.h"

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

/// Most dimensions that a tensor may have. libtorch has no such limit; real models stay below 16.
inline constexpr int64_t kMaxDims = 64;

/// a + b and a * b; throw Error naming `what` where the result leaves int64.
int64_t checked_add(int64_t a, int64_t b, const char* what);
int64_t checked_mul(int64_t a, int64_t b, const char* what);

/// Sizes and strides in elements, of equal length, none negative; numel is their product of sizes.
struct Geometry {
  Dims sizes;
  Dims strides;
  int64_t numel = 1;

  std::size_t ndim() const { return sizes.size(); }
};

/// Copies and judges a caller's arrays. Throws Error for ndim outside 0..kMaxDims, null arrays with
/// ndim > 0, negative entries, and a numel that leaves int64. Any size of 0 makes numel 0.
Geometry read_geometry(int64_t ndim, const int64_t* sizes, const int64_t* strides);

/// Elements from the first to the last that the geometry reaches, both counted:
/// 1 + sum((size - 1) * stride), 0 where numel is 0. Throws Error on overflow.
int64_t extent(const Geometry& geometry);

/// True where the elements fill their extent without gap or overlap, in any order of dimensions;
/// dimensions of size 1 do not matter, and numel 0 always qualifies.
bool is_dense(const Geometry& geometry);

/// Strides that pack the same sizes densely, dimensions ordered as libtorch orders them: by
/// decreasing stride, row-major among equals; a stride of 0 keeps its place.
Dims packed_strides(const Geometry& geometry);

/// True where two different indices lead to one element. Exact; may take memory of the order of the
/// extent in bits.
bool overlaps_itself(const Geometry& geometry);

/// Calls visit(a, b) with the element offsets that two stride lists give each index of `sizes`, in
/// row-major order. Offsets must be known to fit int64.
template <class Visit>
void for_each_index(const Dims& sizes, const Dims& strides_a, const Dims& strides_b,
                    Visit&& visit) {
  const std::size_t ndim = sizes.size();
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return;
  Dims indexes(ndim, 0);
  int64_t* const index = indexes.data();
  const int64_t* const size = sizes.data();
  const int64_t* const step_a = strides_a.data();
  const int64_t* const step_b = strides_b.data();
  int64_t a = 0;
  int64_t b = 0;
  while (true) {
    visit(a, b);
    std::size_t dim = ndim;
    while (dim > 0 && index[dim - 1] == size[dim - 1] - 1) {
      --dim;
      a -= index[dim] * step_a[dim];
      b -= index[dim] * step_b[dim];
      index[dim] = 0;
    }
    if (dim == 0) return;
    ++index[dim - 1];
    a += step_a[dim - 1];
    b += step_b[dim - 1];
  }
}

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
