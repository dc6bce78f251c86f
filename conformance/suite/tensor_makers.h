// The shims that make tensor handles, as tables, so that a clause about "whatever makes a tensor"
// is written once: makers (from sizes and strides), copiers (new memory) and derivers (a further
// handle, on the same memory or not).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "suite/tensor_util.h"

namespace aoti_cts::suite {

/// Geometry as the ABI takes it; the arrays may be null or lie.
struct Arrays {
  int64_t ndim;
  const int64_t* sizes;
  const int64_t* strides;
  int64_t offset;
};
inline Arrays arrays_of(const Geometry& g) {
  return {g.rank(), args(g.sizes), args(g.strides), g.offset};
}

/// dtype, device and layout as the ABI takes them; a shim ignores what it has no parameter for.
struct Codes {
  int32_t dtype = 6;
  int32_t device_type = device_cpu;
  int32_t device_index = -1;
  int32_t layout = layout_strided;
};

/// A shim that makes a tensor from sizes and strides.
struct Maker {
  std::string name;  ///< "empty_strided", "from_blob", "from_blob_v2", "reinterpret"
  bool borrows;      ///< takes the caller's memory
  bool has_dtype;    ///< takes dtype and device
  bool has_offset;
  /// One raw call, all arguments as given. `self` is what _reinterpret_tensor views, `data` what
  /// the from_blob pair borrows.
  std::function<AOTITorchError(Case&, void* data, AtenTensorHandle self, const Arrays&,
                               const Codes&, AtenTensorHandle* out)>
      call;

  /// A tensor that must come into being. `data` is memory that the geometry fits in; a view is made
  /// of a tensor that spans as much of it as the geometry reaches.
  Tensor tensor(Case& c, void* data, const Arrays& arrays, const DType& type) const;
  Tensor tensor(Case& c, void* data, const Geometry& g, const DType& type) const {
    return tensor(c, data, arrays_of(g), type);
  }
};

/// empty_strided, create_tensor_from_blob, create_tensor_from_blob_v2, _reinterpret_tensor.
const std::vector<Maker>& makers();

/// A shim that copies a tensor: clone, clone_preserve_strides.
struct Copier {
  std::string name;
  std::function<AOTITorchError(Case&, AtenTensorHandle self, AtenTensorHandle* out)> call;
  Tensor tensor(Case& c, AtenTensorHandle self) const;
};
const std::vector<Copier>& copiers();
const Copier& copier(std::string_view name);

/// A shim that makes a handle from a handle: the copiers, new_tensor_handle, assign_tensors_out and
/// _reinterpret_tensor.
struct Deriver {
  std::string name;
  bool shares;  ///< same storage as its source
  std::function<AOTITorchError(Case&, AtenTensorHandle self, const Geometry&,
                               AtenTensorHandle* out)>
      call;
  /// `g` is the source's geometry, which a view repeats at increment 0.
  Tensor tensor(Case& c, AtenTensorHandle self, const Geometry& g) const;
};
const std::vector<Deriver>& derivers();
const Deriver& deriver(std::string_view name);

/// Address space without access or memory behind it.
class Reserved {
 public:
  Reserved(Case& c, int64_t bytes);
  ~Reserved();
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;
  std::byte* data() const { return data_; }

 private:
  std::byte* data_;
  int64_t bytes_;
};

}  // namespace aoti_cts::suite
