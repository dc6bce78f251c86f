// What the sections TENSOR, VIEW and DEV are written with: dtypes, geometries, memory between
// canaries, handles that delete themselves, and the oracles.
//
// Everything that a test compares against is computed here from first principles (an element lies
// at data + sum(index * stride) * itemsize) and never asked of the candidate. Values are read and
// written straight through data pointers, so a test depends on as few shims as it can: one defect
// should fail one clause.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "suite/case.h"

namespace aoti_cts::suite {

// Codes of the ABI that the tests pass in.
constexpr int32_t device_cpu = 0;
constexpr int32_t device_cuda = 1;
constexpr int32_t layout_strided = 0;

// ---------------------------------------------------------------------------------------- dtypes

/// One element type of the core profile.
struct DType {
  const char* name;  ///< as in the getter's name, "float32"
  int32_t code;      ///< the ABI's code
  int64_t size;      ///< bytes of an element: 1, 2, 4 or 8
  int32_t (*AotiShimTable::*getter)(void);
};

/// The nine dtypes that a core runtime has, by code.
extern const std::array<DType, 9> core_dtypes;
const DType& dtype(std::string_view name);
inline const DType& float32() { return dtype("float32"); }

/// The bits of `value` as an element of the dtype, low byte first. Floats of fewer bits round to
/// nearest even; bool is value != 0; integers must hold the value.
uint64_t encode(const DType& type, double value);

/// The value of an element; exact, as every core dtype but int64 fits a double.
double decode(const DType& type, uint64_t bits);

/// Bits that differ between neighbours and that every runtime must carry unchanged: small integers,
/// and their encodings in the float types; alternately true and false for bool.
uint64_t pattern(const DType& type, int64_t i);

/// Bits of which every one counts, for what carries values unchanged: all bits of the integers; of
/// the floats also -0.0, subnormals, the largest, infinities and quiet NaNs, but no signalling NaN;
/// 0 and 1 for bool.
uint64_t any_bits(const DType& type, int64_t i);

// ------------------------------------------------------------------------------------ geometries

/// Where the elements of a tensor lie in its storage. Counted in elements.
struct Geometry {
  std::string name;  ///< part of a case name: "rank3_permuted"
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;  ///< as long as sizes
  int64_t offset = 0;            ///< of the first element from the base of the storage

  int64_t rank() const { return static_cast<int64_t>(sizes.size()); }
};

/// Ranks 0 to 8: contiguous, permuted, rotated, expanded (stride 0), gapped, a dimension of size 1
/// with an odd stride, and a size of 0; all at offset 0. At most a few hundred elements each.
const std::vector<Geometry>& geometries();

/// Those of one rank.
std::vector<Geometry> geometries(int64_t rank);

/// The same elements, `offset` elements further into the storage.
Geometry at_offset(Geometry geometry, int64_t offset);

/// The same sizes, densely packed in row-major order.
Geometry packed(const Geometry& geometry);

/// Number of elements.
int64_t numel(const std::vector<int64_t>& sizes);

/// Elements from the first to one past the last: 1 + sum((size-1)*stride), or 0 where a size is 0.
int64_t extent(const Geometry& geometry);

/// Strides of a dense row-major tensor; a size of 0 counts as 1.
std::vector<int64_t> contiguous_strides(const std::vector<int64_t>& sizes);

/// No two elements share memory and there is no gap between any. Dimensions of size 1 are ignored,
/// and a tensor without elements is dense.
bool is_dense(const Geometry& geometry);

/// The strides that pack the sizes densely and keep the dimensions' order by decreasing stride.
std::vector<int64_t> packed_strides(const Geometry& geometry);

/// Distance from the first element, in elements, of the one with this row-major logical index.
int64_t element_at(const Geometry& geometry, int64_t logical);

// ---------------------------------------------------------------------------------------- memory

/// Memory of the suite's own, 64-byte aligned, with canaries before and after.
class Memory {
 public:
  explicit Memory(int64_t bytes, uint8_t fill = 0xA5);
  /// Room for a tensor of this geometry, its offset included, and nothing more.
  Memory(const Geometry& geometry, const DType& type, uint8_t fill = 0xA5)
      : Memory((geometry.offset + extent(geometry)) * type.size, fill) {}

  std::byte* data() const { return bytes_.get() + margin; }
  int64_t size() const { return size_; }
  /// Address of the first element of a tensor that lies at this offset.
  std::byte* first(const Geometry& geometry, const DType& type) const {
    return data() + geometry.offset * type.size;
  }
  /// All bytes, to compare with a later state.
  std::vector<uint8_t> bytes() const;
  bool canaries_intact() const;

 private:
  static constexpr int64_t margin = 64;
  struct Free {
    void operator()(std::byte* p) const;
  };
  int64_t size_;
  std::unique_ptr<std::byte[], Free> bytes_;
};

/// Bits of the element at `index` elements behind `first`, and the way back.
uint64_t load(const void* first, int64_t index, const DType& type);
void store(void* first, int64_t index, const DType& type, uint64_t bits);

/// Writes pattern(type, seed + i) to the element of logical index i, for all i. `first` is the
/// address of the tensor's first element (what get_data_ptr gives).
void fill(void* first, const Geometry& geometry, const DType& type, int64_t seed = 0);

/// The same of any_bits, of which the first 251 repeat.
void fill_any(void* first, const Geometry& geometry, const DType& type, int64_t seed = 0);

/// All elements in logical order.
std::vector<uint64_t> read(const void* first, const Geometry& geometry, const DType& type);

/// Writes one value to each element, in logical order.
void write(void* first, const Geometry& geometry, const DType& type,
           const std::vector<uint64_t>& values);

/// pattern(type, seed + i) for i from 0 to count - 1.
std::vector<uint64_t> patterns(const DType& type, int64_t count, int64_t seed = 0);

// --------------------------------------------------------------------------------------- handles

/// Owns one tensor handle and deletes it through the candidate. What delete returns is not judged
/// here: that is TENSOR.delete-succeeds alone.
class Tensor {
 public:
  Tensor() = default;
  Tensor(Case& c, AtenTensorHandle handle) : case_(&c), handle_(handle) {}
  Tensor(Tensor&& other) noexcept
      : case_(other.case_), handle_(std::exchange(other.handle_, nullptr)) {}
  Tensor& operator=(Tensor&& other) noexcept {
    std::swap(case_, other.case_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Tensor() { reset(); }

  AtenTensorHandle get() const { return handle_; }
  /// Gives the handle to the caller, who deletes it.
  AtenTensorHandle release() { return std::exchange(handle_, nullptr); }
  /// Deletes the handle now.
  void reset();

 private:
  Case* case_ = nullptr;
  AtenTensorHandle handle_ = nullptr;
};

/// Calls `make(AtenTensorHandle*)`, which must succeed and give a handle; ends the case otherwise.
template <class Make>
Tensor make_tensor(Case& c, std::string_view what, Make&& make) {
  AtenTensorHandle handle = nullptr;
  const AOTITorchError error = make(&handle);
  if (!c.judge(error, 0, fmt::format("return code of {}", what))) throw EndCase{};
  if (!c.judge(handle != nullptr, true, fmt::format("{} wrote a handle", what))) throw EndCase{};
  return {c, handle};
}

/// Judges that `make(AtenTensorHandle*)` gives an error. What it leaves in the output is not judged
/// here: that is TENSOR.error-leaves-out alone.
template <class Make>
void want_error(Case& c, std::string_view what, Make&& make) {
  AtenTensorHandle handle = nullptr;
  const AOTITorchError error = make(&handle);
  if (error == 0) {
    c.fail(what, "success", "an error code");
  } else {
    c.judge(error != 0, true, what);
  }
}

/// The array to pass for sizes or strides: not null for rank 0 either, so that only TENSOR.scalar
/// depends on null pointers there.
const int64_t* args(const std::vector<int64_t>& values);

/// A tensor over the caller's memory. `data` is the base of the storage: the tensor's first element
/// is geometry.offset elements behind it. Through create_tensor_from_blob, or its second version
/// where the candidate lacks the first.
Tensor from_blob(Case& c, void* data, const Geometry& geometry, const DType& type,
                 int32_t device_index = -1);
inline Tensor from_blob(Case& c, const Memory& memory, const Geometry& geometry,
                        const DType& type) {
  return from_blob(c, memory.data(), geometry, type);
}

/// A new CPU tensor; the geometry's offset is not used.
Tensor empty(Case& c, const Geometry& geometry, const DType& type, int32_t device_index = -1);

/// A view of this geometry; its offset is the increment that is passed on.
Tensor view(Case& c, AtenTensorHandle self, const Geometry& geometry);

// --------------------------------------------------------------------------------------- getters
// Each calls one getter and gives what it wrote; a getter that fails ends the case. The output
// lies between pads, so that a write that is too wide fails TENSOR.no-clobber and nothing else.

template <class T>
struct Padded {
  std::array<unsigned char, 64> before{};
  T value{};
  std::array<unsigned char, 64> after{};
};

int64_t get_dim(Case& c, AtenTensorHandle tensor);
int64_t get_numel(Case& c, AtenTensorHandle tensor);
int64_t get_storage_offset(Case& c, AtenTensorHandle tensor);
int64_t get_storage_size(Case& c, AtenTensorHandle tensor);  ///< in bytes
int32_t get_dtype(Case& c, AtenTensorHandle tensor);
int32_t get_device_type(Case& c, AtenTensorHandle tensor);
int32_t get_device_index(Case& c, AtenTensorHandle tensor);
std::byte* get_data_ptr(Case& c, AtenTensorHandle tensor);
/// `rank` elements, copied out of the array that the candidate owns.
std::vector<int64_t> get_sizes(Case& c, AtenTensorHandle tensor, int64_t rank);
std::vector<int64_t> get_strides(Case& c, AtenTensorHandle tensor, int64_t rank);

}  // namespace aoti_cts::suite
