// Bodies of tensor_util.h: encodings, geometry arithmetic, and thin calls of the candidate.
#include "suite/tensor_util.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace aoti_cts::suite {

// ---------------------------------------------------------------------------------------- dtypes

const std::array<DType, 9> core_dtypes = {{
    {"uint8", 0, 1, &AotiShimTable::aoti_torch_dtype_uint8},
    {"int8", 1, 1, &AotiShimTable::aoti_torch_dtype_int8},
    {"int16", 2, 2, &AotiShimTable::aoti_torch_dtype_int16},
    {"int32", 3, 4, &AotiShimTable::aoti_torch_dtype_int32},
    {"int64", 4, 8, &AotiShimTable::aoti_torch_dtype_int64},
    {"float16", 5, 2, &AotiShimTable::aoti_torch_dtype_float16},
    {"float32", 6, 4, &AotiShimTable::aoti_torch_dtype_float32},
    {"bool", 11, 1, &AotiShimTable::aoti_torch_dtype_bool},
    {"bfloat16", 15, 2, &AotiShimTable::aoti_torch_dtype_bfloat16},
}};

const DType& dtype(std::string_view name) {
  for (const DType& type : core_dtypes) {
    if (type.name == name) return type;
  }
  throw std::logic_error(fmt::format("no core dtype is called {}", name));
}

namespace {

/// A binary float: sign, exponent, fraction.
struct FloatFormat {
  int exponent_bits;
  int fraction_bits;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};
constexpr FloatFormat half{5, 10};
constexpr FloatFormat single{8, 23};
constexpr FloatFormat bfloat{8, 7};

/// Rounds to nearest even by scaling the value so that one unit in the last place becomes 1.
uint64_t encode16(double value, FloatFormat format) {
  const uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  const uint64_t infinity = uint64_t((1 << format.exponent_bits) - 1) << format.fraction_bits;
  if (std::isnan(value)) return sign | infinity | (uint64_t{1} << (format.fraction_bits - 1));
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | infinity;
  if (magnitude == 0) return sign;
  const int exponent = std::max(std::ilogb(magnitude), 1 - format.bias());
  // nearbyint rounds half to even in the default rounding mode.
  const double units = std::nearbyint(std::ldexp(magnitude, format.fraction_bits - exponent));
  // A carry out of the fraction runs into the exponent, which is then the right one.
  const uint64_t hidden = uint64_t{1} << format.fraction_bits;
  const uint64_t biased = static_cast<uint64_t>(exponent + format.bias() - 1);
  const uint64_t bits = biased * hidden + static_cast<uint64_t>(units);
  return sign | std::min(bits, infinity);
}

double decode16(uint64_t bits, FloatFormat format) {
  const uint64_t fraction = bits & ((uint64_t{1} << format.fraction_bits) - 1);
  const int biased =
      static_cast<int>(bits >> format.fraction_bits) & ((1 << format.exponent_bits) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (biased == (1 << format.exponent_bits) - 1) {
    return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  }
  const uint64_t units = biased == 0 ? fraction : fraction | (uint64_t{1} << format.fraction_bits);
  const int exponent = std::max(biased, 1) - format.bias() - format.fraction_bits;
  return sign * std::ldexp(static_cast<double>(units), exponent);
}

template <class Int>
uint64_t encode_int(double value) {
  if (value != static_cast<double>(static_cast<Int>(value))) {
    throw std::logic_error(
        fmt::format("{} does not fit an integer of {} bytes", value, sizeof(Int)));
  }
  return static_cast<std::make_unsigned_t<Int>>(static_cast<Int>(value));
}

}  // namespace

uint64_t encode(const DType& type, double value) {
  switch (type.code) {
    case 0:
      return encode_int<uint8_t>(value);
    case 1:
      return encode_int<int8_t>(value);
    case 2:
      return encode_int<int16_t>(value);
    case 3:
      return encode_int<int32_t>(value);
    case 4:
      return encode_int<int64_t>(value);
    case 5:
      return encode16(value, half);
    case 6:
      return std::bit_cast<uint32_t>(static_cast<float>(value));
    case 11:
      return value != 0 ? 1 : 0;
    case 15:
      return encode16(value, bfloat);
    default:
      throw std::logic_error(fmt::format("dtype {} is not a core one", type.code));
  }
}

double decode(const DType& type, uint64_t bits) {
  switch (type.code) {
    case 0:
      return static_cast<double>(bits);
    case 1:
      return static_cast<int8_t>(bits);
    case 2:
      return static_cast<int16_t>(bits);
    case 3:
      return static_cast<int32_t>(bits);
    case 4:
      return static_cast<double>(static_cast<int64_t>(bits));
    case 5:
      return decode16(bits, half);
    case 6:
      return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case 11:
      return bits != 0 ? 1 : 0;
    case 15:
      return decode16(bits, bfloat);
    default:
      throw std::logic_error(fmt::format("dtype {} is not a core one", type.code));
  }
}

uint64_t pattern(const DType& type, int64_t i) {
  if (type.code == dtype("bool").code) return static_cast<uint64_t>(i) % 2;
  // 1..113, so that an int8 holds it and a bfloat16 holds it exactly.
  return encode(type, static_cast<double>(1 + i % 113));
}

namespace {

/// A number that shares no visible rule with that of i + 1.
uint64_t scrambled(int64_t i) {
  uint64_t bits = (static_cast<uint64_t>(i) + 1) * 0x9E3779B97F4A7C15;
  bits = (bits ^ (bits >> 32)) * 0xD6E8FEB86659FD93;
  return bits ^ (bits >> 29);
}

/// Each fifth is one that arithmetic, or a narrower type in between, would not leave as it is.
uint64_t any_float(FloatFormat format, int64_t i) {
  const uint64_t fraction = (uint64_t{1} << format.fraction_bits) - 1;
  const uint64_t infinity = ((uint64_t{1} << format.exponent_bits) - 1) << format.fraction_bits;
  const uint64_t sign = infinity + fraction + 1;
  const uint64_t quiet = (fraction + 1) / 2;
  const std::array<uint64_t, 8> odd = {
      sign, 1, sign | 1, fraction, infinity - 1, infinity, sign | infinity, infinity | quiet | 1};
  if (i % 5 == 1) return odd[static_cast<size_t>(i / 5) % odd.size()];
  const uint64_t bits = scrambled(i) & (sign | infinity | fraction);
  const bool nan = (bits & infinity) == infinity && (bits & fraction) != 0;
  return nan ? bits | quiet : bits;
}

}  // namespace

uint64_t any_bits(const DType& type, int64_t i) {
  switch (type.code) {
    case 5:
      return any_float(half, i);
    case 6:
      return any_float(single, i);
    case 11:
      return scrambled(i) & 1;
    case 15:
      return any_float(bfloat, i);
    default:
      return scrambled(i) >> (64 - 8 * type.size);
  }
}

// ------------------------------------------------------------------------------------ geometries

int64_t numel(const std::vector<int64_t>& sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return count;
}

int64_t extent(const Geometry& geometry) {
  if (numel(geometry.sizes) == 0) return 0;
  int64_t last = 0;
  for (size_t d = 0; d < geometry.sizes.size(); ++d) {
    last += (geometry.sizes[d] - 1) * geometry.strides[d];
  }
  return last + 1;
}

std::vector<int64_t> contiguous_strides(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> strides(sizes.size());
  int64_t step = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    strides[d] = step;
    step *= std::max<int64_t>(sizes[d], 1);
  }
  return strides;
}

Geometry at_offset(Geometry geometry, int64_t offset) {
  geometry.offset += offset;
  geometry.name += fmt::format("_at{}", offset);
  return geometry;
}

Geometry packed(const Geometry& geometry) {
  return {geometry.name, geometry.sizes, contiguous_strides(geometry.sizes), 0};
}

std::vector<int64_t> packed_strides(const Geometry& geometry) {
  std::vector<size_t> order(geometry.sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return geometry.strides[a] > geometry.strides[b]; });
  std::vector<int64_t> strides(geometry.sizes.size());
  int64_t step = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = step;
    step *= std::max<int64_t>(geometry.sizes[order[i]], 1);
  }
  return strides;
}

bool is_dense(const Geometry& geometry) {
  if (numel(geometry.sizes) == 0) return true;
  const std::vector<int64_t> want = packed_strides(geometry);
  for (size_t d = 0; d < geometry.sizes.size(); ++d) {
    if (geometry.sizes[d] != 1 && geometry.strides[d] != want[d]) return false;
  }
  return true;
}

int64_t element_at(const Geometry& geometry, int64_t logical) {
  int64_t element = 0;
  for (size_t d = geometry.sizes.size(); d-- > 0;) {
    element += logical % geometry.sizes[d] * geometry.strides[d];
    logical /= geometry.sizes[d];
  }
  return element;
}

namespace {

std::vector<int64_t> sizes_of(int64_t rank) {
  constexpr std::array<int64_t, 8> pool = {2, 3, 4, 2, 1, 3, 2, 2};
  return {pool.begin(), pool.begin() + rank};
}

/// Dense, with the dimensions laid out in memory in the order given (outermost first).
std::vector<int64_t> strides_in_order(const std::vector<int64_t>& sizes,
                                      const std::vector<size_t>& order) {
  std::vector<int64_t> strides(sizes.size());
  int64_t step = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = step;
    step *= sizes[order[i]];
  }
  return strides;
}

void add_geometries(std::vector<Geometry>& all, int64_t rank) {
  const std::vector<int64_t> sizes = sizes_of(rank);
  const std::vector<int64_t> dense = contiguous_strides(sizes);
  const auto add = [&](const char* kind, std::vector<int64_t> s, std::vector<int64_t> strides) {
    all.push_back({fmt::format("rank{}_{}", rank, kind), std::move(s), std::move(strides), 0});
  };
  add("contiguous", sizes, dense);
  if (rank == 0) return;
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (rank >= 2) {
    std::reverse(order.begin(), order.end());
    add("permuted", sizes, strides_in_order(sizes, order));
  }
  if (rank >= 3) {
    std::iota(order.begin(), order.end(), size_t{0});
    std::rotate(order.begin(), order.begin() + 1, order.end());
    add("rotated", sizes, strides_in_order(sizes, order));
  }
  std::vector<int64_t> strides = dense;
  strides.front() = 0;
  add("expanded", sizes, strides);
  std::vector<int64_t> padded = sizes;
  for (int64_t& size : padded) ++size;
  strides = contiguous_strides(padded);
  for (int64_t& stride : strides) stride *= 2;
  add("gapped", sizes, strides);
  const size_t middle = sizes.size() / 2;
  std::vector<int64_t> other = sizes;
  other[middle] = 1;
  strides = contiguous_strides(other);
  strides[middle] = 97;
  add("size1", other, strides);
  other[middle] = 0;
  strides.assign(sizes.size(), 3);
  strides.front() = 99;
  add("zero", other, strides);
}

}  // namespace

const std::vector<Geometry>& geometries() {
  static const std::vector<Geometry> all = [] {
    std::vector<Geometry> list;
    for (int64_t rank = 0; rank <= 8; ++rank) add_geometries(list, rank);
    return list;
  }();
  return all;
}

std::vector<Geometry> geometries(int64_t rank) {
  std::vector<Geometry> some;
  for (const Geometry& geometry : geometries()) {
    if (geometry.rank() == rank) some.push_back(geometry);
  }
  return some;
}

// ---------------------------------------------------------------------------------------- memory

namespace {
constexpr uint8_t canary = 0xC7;
}  // namespace

Memory::Memory(int64_t bytes, uint8_t fill) : size_(bytes) {
  const int64_t rounded = (bytes + 2 * margin + 63) / 64 * 64;
  auto* block = static_cast<std::byte*>(std::aligned_alloc(64, static_cast<size_t>(rounded)));
  if (block == nullptr) throw std::bad_alloc();
  bytes_.reset(block);
  std::memset(block, canary, static_cast<size_t>(rounded));
  std::memset(data(), fill, static_cast<size_t>(bytes));
}

void Memory::Free::operator()(std::byte* p) const { std::free(p); }

std::vector<uint8_t> Memory::bytes() const {
  const auto* first = reinterpret_cast<const uint8_t*>(data());
  return {first, first + size_};
}

bool Memory::canaries_intact() const {
  const auto is_canary = [](std::byte b) { return b == std::byte{canary}; };
  const std::byte* end = data() + size_;
  return std::all_of(bytes_.get(), bytes_.get() + margin, is_canary) &&
         std::all_of(end, end + margin, is_canary);
}

uint64_t load(const void* first, int64_t index, const DType& type) {
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const std::byte*>(first) + index * type.size,
              static_cast<size_t>(type.size));
  return bits;
}

void store(void* first, int64_t index, const DType& type, uint64_t bits) {
  std::memcpy(static_cast<std::byte*>(first) + index * type.size, &bits,
              static_cast<size_t>(type.size));
}

namespace {

/// Calls visit(logical, at) for each element in logical order: element_at() without its divisions.
template <class Visit>
void for_each_element(const Geometry& geometry, const Visit& visit) {
  const int64_t count = numel(geometry.sizes);
  std::vector<int64_t> index(geometry.sizes.size(), 0);
  int64_t at = 0;
  for (int64_t logical = 0; logical < count; ++logical) {
    visit(logical, at);
    for (size_t d = index.size(); d-- > 0;) {
      at += geometry.strides[d];
      if (++index[d] < geometry.sizes[d]) break;
      at -= index[d] * geometry.strides[d];
      index[d] = 0;
    }
  }
}

constexpr int64_t pattern_period = 226;  // of 113 numbers and of true and false
constexpr size_t any_period = 251;

}  // namespace

void fill(void* first, const Geometry& geometry, const DType& type, int64_t seed) {
  const std::vector<uint64_t> period = patterns(type, pattern_period, seed);
  for_each_element(geometry, [&](int64_t logical, int64_t at) {
    store(first, at, type, period[static_cast<size_t>(logical % pattern_period)]);
  });
}

void fill_any(void* first, const Geometry& geometry, const DType& type, int64_t seed) {
  std::vector<uint64_t> period;
  for (size_t i = 0; i < any_period; ++i) {
    period.push_back(any_bits(type, seed + static_cast<int64_t>(i)));
  }
  for_each_element(geometry, [&](int64_t logical, int64_t at) {
    store(first, at, type, period[static_cast<size_t>(logical) % any_period]);
  });
}

std::vector<uint64_t> read(const void* first, const Geometry& geometry, const DType& type) {
  std::vector<uint64_t> values(static_cast<size_t>(numel(geometry.sizes)));
  for_each_element(geometry, [&](int64_t logical, int64_t at) {
    values[static_cast<size_t>(logical)] = load(first, at, type);
  });
  return values;
}

void write(void* first, const Geometry& geometry, const DType& type,
           const std::vector<uint64_t>& values) {
  for_each_element(geometry, [&](int64_t logical, int64_t at) {
    store(first, at, type, values[static_cast<size_t>(logical)]);
  });
}

std::vector<uint64_t> patterns(const DType& type, int64_t count, int64_t seed) {
  std::vector<uint64_t> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(i < pattern_period ? pattern(type, seed + i)
                                        : values[static_cast<size_t>(i - pattern_period)]);
  }
  return values;
}

// --------------------------------------------------------------------------------------- handles

void Tensor::reset() {
  const AtenTensorHandle handle = release();
  if (handle == nullptr || case_->table().aoti_torch_delete_tensor_object == nullptr) return;
  case_->sink().calling("aoti_torch_delete_tensor_object");
  const AOTITorchError code = case_->table().aoti_torch_delete_tensor_object(handle);
  case_->sink().returned();
  case_->sink().code(code);
}

const int64_t* args(const std::vector<int64_t>& values) {
  static constexpr int64_t none = 0;
  return values.empty() ? &none : values.data();
}

Tensor from_blob(Case& c, void* data, const Geometry& geometry, const DType& type,
                 int32_t device_index) {
  return make_tensor(c, "create_tensor_from_blob", [&](AtenTensorHandle* out) {
    if (!c.has(&AotiShimTable::aoti_torch_create_tensor_from_blob)) {
      return SHIM(aoti_torch_create_tensor_from_blob_v2)(
          data, geometry.rank(), args(geometry.sizes), args(geometry.strides), geometry.offset,
          type.code, device_cpu, device_index, out, layout_strided, nullptr, int64_t{0});
    }
    return SHIM(aoti_torch_create_tensor_from_blob)(data, geometry.rank(), args(geometry.sizes),
                                                    args(geometry.strides), geometry.offset,
                                                    type.code, device_cpu, device_index, out);
  });
}

Tensor empty(Case& c, const Geometry& geometry, const DType& type, int32_t device_index) {
  return make_tensor(c, "empty_strided", [&](AtenTensorHandle* out) {
    return SHIM(aoti_torch_empty_strided)(geometry.rank(), args(geometry.sizes),
                                          args(geometry.strides), type.code, device_cpu,
                                          device_index, out);
  });
}

Tensor view(Case& c, AtenTensorHandle self, const Geometry& geometry) {
  return make_tensor(c, "_reinterpret_tensor", [&](AtenTensorHandle* out) {
    return SHIM(aoti_torch__reinterpret_tensor)(self, geometry.rank(), args(geometry.sizes),
                                                args(geometry.strides), geometry.offset, out);
  });
}

// --------------------------------------------------------------------------------------- getters

namespace {

template <class T, class Getter>
T read_attribute(Case& c, AtenTensorHandle tensor, Getter AotiShimTable::*getter,
                 const char* name) {
  Padded<T> out;
  const AOTITorchError error = c.shim(getter, name)(tensor, &out.value);
  if (!c.judge(error, 0, fmt::format("return code of {}", name))) throw EndCase{};
  return out.value;
}

std::vector<int64_t> copy_array(Case& c, const int64_t* array, int64_t rank, const char* name) {
  if (rank == 0) return {};
  if (!c.judge(array != nullptr, true, fmt::format("{} gave an array", name))) throw EndCase{};
  return {array, array + rank};
}

}  // namespace

#define READ(type, name) read_attribute<type>(c, tensor, &AotiShimTable::name, #name)

int64_t get_dim(Case& c, AtenTensorHandle tensor) { return READ(int64_t, aoti_torch_get_dim); }
int64_t get_numel(Case& c, AtenTensorHandle tensor) { return READ(int64_t, aoti_torch_get_numel); }
int64_t get_storage_offset(Case& c, AtenTensorHandle tensor) {
  return READ(int64_t, aoti_torch_get_storage_offset);
}
int64_t get_storage_size(Case& c, AtenTensorHandle tensor) {
  return READ(int64_t, aoti_torch_get_storage_size);
}
int32_t get_dtype(Case& c, AtenTensorHandle tensor) { return READ(int32_t, aoti_torch_get_dtype); }
int32_t get_device_type(Case& c, AtenTensorHandle tensor) {
  return READ(int32_t, aoti_torch_get_device_type);
}
int32_t get_device_index(Case& c, AtenTensorHandle tensor) {
  return READ(int32_t, aoti_torch_get_device_index);
}
std::byte* get_data_ptr(Case& c, AtenTensorHandle tensor) {
  return static_cast<std::byte*>(READ(void*, aoti_torch_get_data_ptr));
}
std::vector<int64_t> get_sizes(Case& c, AtenTensorHandle tensor, int64_t rank) {
  return copy_array(c, READ(int64_t*, aoti_torch_get_sizes), rank, "aoti_torch_get_sizes");
}
std::vector<int64_t> get_strides(Case& c, AtenTensorHandle tensor, int64_t rank) {
  return copy_array(c, READ(int64_t*, aoti_torch_get_strides), rank, "aoti_torch_get_strides");
}

#undef READ

}  // namespace aoti_cts::suite
