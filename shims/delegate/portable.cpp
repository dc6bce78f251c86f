// See portable.h.
#include "delegate/portable.h"

#include <algorithm>
#include <limits>

#include "delegate/extent.h"

namespace aoti_cts::delegate {
namespace {

constexpr int64_t largest = std::numeric_limits<int32_t>::max();

/// Sizes as the mode holds them.
std::vector<int32_t> narrowed(std::span<const int64_t> sizes) {
  std::vector<int32_t> narrow;
  for (const int64_t size : sizes) {
    if (size < 0 || size > largest) {
      throw Error("size " + std::to_string(size) + " of " + show(sizes) + " is outside of 0.." +
                  std::to_string(largest) + ", which is what a portable tensor holds");
    }
    narrow.push_back(static_cast<int32_t>(size));
  }
  return narrow;
}

PortableTensor& portable(void* tensor) { return *static_cast<PortableTensor*>(tensor); }

}  // namespace

void* PortableTensors::make(const Seen& seen) const {
  if (seen.sizes.size() > program::Limits::rank) {
    throw Error("rank " + std::to_string(seen.sizes.size()) + " is above 16");
  }
  const uint32_t width = program::element_bytes(static_cast<int8_t>(seen.scalar_type));
  if (width == 0) {
    throw Error("scalar type " + std::to_string(seen.scalar_type) + " is none of the program's");
  }
  if (extent_bytes(seen.sizes, seen.strides, width) > seen.bytes) {
    throw Error("sizes " + show(seen.sizes) + " need more than " + std::to_string(seen.bytes) +
                " bytes");
  }
  auto made = std::make_unique<PortableTensor>();
  made->sizes = narrowed(seen.sizes);
  made->strides = seen.strides;
  made->view.scalar_type = static_cast<int8_t>(seen.scalar_type);
  made->view.rank = static_cast<uint8_t>(seen.sizes.size());
  made->view.device = {static_cast<int8_t>(seen.device_type),
                       static_cast<int8_t>(seen.device_index)};
  made->view.sizes = made->sizes.data();
  made->view.strides = made->strides.data();
  made->view.bytes = seen.bytes;
  made->view.data = seen.data;
  return made.release();
}

void PortableTensors::unmake(void* tensor) const { delete &portable(tensor); }

Seen PortableTensors::see(const void* tensor) const {
  const program::TensorView& view = static_cast<const PortableTensor*>(tensor)->view;
  return {view.scalar_type,
          view.device.type,
          view.device.index,
          {view.sizes, view.sizes + view.rank},
          {view.strides, view.strides + view.rank},
          view.data,
          view.bytes};
}

void PortableTensors::resize(void* tensor, std::span<const int64_t> sizes) const {
  PortableTensor& to = portable(tensor);
  if (sizes.size() != to.view.rank) {
    throw Error("sizes " + show(sizes) + " for a tensor of rank " + std::to_string(to.view.rank));
  }
  const std::vector<int32_t> narrow = narrowed(sizes);
  if (narrow == to.sizes) return;
  const std::vector<int64_t> strides = packed_like(sizes, to.strides);
  const uint64_t bytes = extent_bytes(sizes, strides, program::element_bytes(to.view.scalar_type));
  if (bytes > to.view.bytes) {
    throw Error("sizes " + show(sizes) + " need " + std::to_string(bytes) +
                " bytes of a memory of " + std::to_string(to.view.bytes));
  }
  std::copy(narrow.begin(), narrow.end(), to.sizes.begin());
  std::copy(strides.begin(), strides.end(), to.strides.begin());
}

}  // namespace aoti_cts::delegate
