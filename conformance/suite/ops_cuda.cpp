// Section OPS: the operator shims of the profile cuda_ops.
//
// Run alone: aoti-cts check --virtual-cuda --profile cuda_ops; success prints one PASS line for
// each clause. A runtime whose operators are kernels can show them on a real device only: --cuda
// real.
//
// Operands are written and results read past the shims (cuda.h).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "suite/cuda.h"

namespace aoti_cts::suite {
namespace {

constexpr int64_t cells = 24;

/// What a stable sort of `values` along the last dimension of {rows, size} gives.
struct Sorted {
  std::vector<double> values;
  std::vector<int64_t> places;
};

bool before(double a, double b) {
  if (std::isnan(a)) return false;
  return std::isnan(b) || a < b;
}

Sorted sorted(const std::vector<double>& values, int64_t size, bool descending) {
  Sorted result;
  for (std::size_t row = 0; row < values.size(); row += static_cast<std::size_t>(size)) {
    std::vector<int64_t> order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    const auto at = [&](int64_t i) { return values[row + static_cast<std::size_t>(i)]; };
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return descending ? before(at(b), at(a)) : before(at(a), at(b));
    });
    for (const int64_t i : order) {
      result.values.push_back(at(i));
      result.places.push_back(i);
    }
  }
  return result;
}

/// Repeats values, so that a sort that is not stable shows.
std::vector<double> with_repeats(bool with_nan) {
  std::vector<double> values;
  for (int64_t i = 0; i < cells; ++i) values.push_back(static_cast<double>((i * 7) % 5));
  if (with_nan) values[3] = values[10] = std::numeric_limits<double>::quiet_NaN();
  return values;
}

Tensor device_tensor(Case& c, const Geometry& geometry, const DType& type,
                     const std::vector<double>& values) {
  Tensor tensor = on_cuda(c, geometry, type, 0);
  const Memory host(geometry, type);
  for (int64_t i = 0; i < static_cast<int64_t>(values.size()); ++i) {
    store(host.data(), element_at(geometry, i), type,
          encode(type, values[static_cast<std::size_t>(i)]));
  }
  NEED(static_cast<unsigned>(cuda(c).cudaMemcpy(get_data_ptr(c, tensor.get()), host.data(),
                                                static_cast<std::size_t>(host.size()),
                                                cu::cudaMemcpyHostToDevice)),
       0U);
  return tensor;
}

/// A result's elements as doubles, in logical order, whatever strides the runtime chose.
std::vector<double> values_of(Case& c, AtenTensorHandle tensor, const DType& type) {
  NEED(get_dtype(c, tensor), type.code);
  const int64_t rank = get_dim(c, tensor);
  const Geometry geometry{"", get_sizes(c, tensor, rank), get_strides(c, tensor, rank), 0};
  std::vector<double> values;
  for (const uint64_t bits : read_device(c, get_data_ptr(c, tensor), geometry, type)) {
    values.push_back(decode(type, bits));
  }
  return values;
}

/// NaN is equal to NaN here: the report shows -1e308 for it.
std::vector<double> comparable(std::vector<double> values) {
  for (double& value : values) {
    if (std::isnan(value)) value = -1e308;
  }
  return values;
}

void sort_case(Case& c, const DType& type, bool descending, bool with_nan, bool columns) {
  cuda(c);
  // Along the rows' direction the tensor is the transpose of the same values.
  const Geometry geometry =
      columns ? Geometry{"", {6, 4}, {1, 6}, 0} : Geometry{"", {4, 6}, {6, 1}, 0};
  const std::vector<double> rows = with_repeats(with_nan);
  std::vector<double> logical(rows.size());
  for (int64_t i = 0; i < cells; ++i) {
    const int64_t from = columns ? (i % 4) * 6 + i / 4 : i;
    logical[static_cast<std::size_t>(i)] = rows[static_cast<std::size_t>(from)];
  }
  const Tensor self = device_tensor(c, geometry, type, logical);
  AtenTensorHandle values = nullptr;
  AtenTensorHandle places = nullptr;
  int32_t stable = 1;
  NEED(SHIM(aoti_torch_cuda_sort_stable)(self.get(), &stable, int64_t{columns ? 0 : -1},
                                         descending ? 1 : 0, &values, &places),
       0);
  const Tensor owned_values(c, values);
  const Tensor owned_places(c, places);
  HAVE_WANT_AS("sizes of the values", get_sizes(c, values, 2), geometry.sizes);
  HAVE_WANT_AS("sizes of the places", get_sizes(c, places, 2), geometry.sizes);
  const Sorted want = sorted(rows, 6, descending);
  std::vector<double> want_values;
  std::vector<double> want_places;
  for (int64_t i = 0; i < cells; ++i) {
    const auto from = static_cast<std::size_t>(columns ? (i % 4) * 6 + i / 4 : i);
    want_values.push_back(want.values[from]);
    want_places.push_back(static_cast<double>(want.places[from]));
  }
  HAVE_WANT_AS("values", comparable(values_of(c, values, type)), comparable(want_values));
  HAVE_WANT_AS("places", values_of(c, places, dtype("int64")), want_places);
}

void rand_case(Case& c, const DType& type, const std::vector<int64_t>& sizes) {
  const int32_t index = last_device(c);
  int32_t code = type.code;
  int32_t layout = layout_strided;
  int32_t device = device_cuda;
  AtenTensorHandle made = nullptr;
  NEED(SHIM(aoti_torch_cuda_rand)(args(sizes), static_cast<int64_t>(sizes.size()), &code, &layout,
                                  &device, index, static_cast<int32_t*>(nullptr), &made),
       0);
  const Tensor owned(c, made);
  const auto rank = static_cast<int64_t>(sizes.size());
  HAVE_WANT_AS("sizes", get_sizes(c, made, rank), sizes);
  HAVE_WANT_AS("dtype", get_dtype(c, made), type.code);
  HAVE_WANT_AS("device type", get_device_type(c, made), device_cuda);
  HAVE_WANT_AS("device index", get_device_index(c, made), index);
  const std::vector<double> values = values_of(c, made, type);
  if (values.empty()) return;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  HAVE_WANT_AS(fmt::format("the smallest, {}, is at least 0", *low), *low >= 0, true);
  HAVE_WANT_AS(fmt::format("the largest, {}, is below 1", *high), *high < 1, true);
  if (values.size() >= 64) HAVE_WANT_AS("all values are equal", *low == *high, false);
}

void randint_case(Case& c, const DType& type, int64_t low, int64_t high) {
  cuda(c);
  const Geometry geometry{"", {8, 32}, {32, 1}, 0};
  const Tensor out = device_tensor(c, geometry, type, std::vector<double>(256, 0));
  NEED(SHIM(aoti_torch_cuda_randint_low_out)(out.get(), low, high, args(geometry.sizes),
                                             geometry.rank()),
       0);
  HAVE_WANT_AS("sizes", get_sizes(c, out.get(), 2), geometry.sizes);
  HAVE_WANT_AS("dtype", get_dtype(c, out.get()), type.code);
  const std::vector<double> values = values_of(c, out.get(), type);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  HAVE_WANT_AS(fmt::format("the smallest, {}, is at least {}", *least, low),
               *least >= static_cast<double>(low), true);
  HAVE_WANT_AS(fmt::format("the largest, {}, is below {}", *most, high),
               *most < static_cast<double>(high), true);
  const bool whole = std::all_of(values.begin(), values.end(),
                                 [](double value) { return value == std::floor(value); });
  HAVE_WANT_AS("all values are integers", whole, true);
  if (high - low > 1) HAVE_WANT_AS("all values are equal", *least == *most, false);
}

/// Arguments that no packing fits: whatever the runtime does with them, it comes back.
template <class Call>
void packed_case(Case& c, Call&& call) {
  const Tensor x = on_cuda(c, {"", {2, 64}, {64, 1}, 0}, dtype("bfloat16"), 0);
  const Tensor packed = on_cuda(c, {"", {8, 32}, {32, 1}, 0}, dtype("uint8"), 0);
  const Tensor scale = on_cuda(c, {"", {8, 2}, {2, 1}, 0}, dtype("bfloat16"), 0);
  AtenTensorHandle made = nullptr;
  const AOTITorchError error = call(x.get(), packed.get(), scale.get(), &made);
  const Tensor owned(c, error == 0 ? made : nullptr);
  c.saw(error == 0 ? "computed" : "an error code");
}

}  // namespace

CLAUSE_CASES(OPS, sort_stable) {
  for (const char* name : {"float32", "float16", "int64", "uint8"}) {
    for (const bool descending : {false, true}) {
      const DType& type = dtype(name);
      const char* order = descending ? "descending" : "ascending";
      cases.add(fmt::format("{}_{}", name, order),
                [&type, descending](Case& c) { sort_case(c, type, descending, false, false); });
      cases.add(fmt::format("{}_{}_first_dimension", name, order),
                [&type, descending](Case& c) { sort_case(c, type, descending, false, true); });
    }
  }
  cases.add("nan_is_the_largest", [](Case& c) { sort_case(c, float32(), false, true, false); });
  cases.add("nan_first_when_descending",
            [](Case& c) { sort_case(c, float32(), true, true, false); });
}

CLAUSE_CASES(OPS, rand) {
  for (const char* name : {"float32", "float16", "bfloat16"}) {
    const DType& type = dtype(name);
    cases.add(fmt::format("{}_4096", name), [&type](Case& c) { rand_case(c, type, {4096}); });
  }
  cases.add("rank_3", [](Case& c) { rand_case(c, float32(), {4, 1, 32}); });
  cases.add("scalar", [](Case& c) { rand_case(c, float32(), {}); });
  cases.add("zero_size", [](Case& c) { rand_case(c, float32(), {3, 0}); });
}

CLAUSE_CASES(OPS, randint_low_out) {
  cases.add("int64", [](Case& c) { randint_case(c, dtype("int64"), -5, 7); });
  cases.add("int64_one_value", [](Case& c) { randint_case(c, dtype("int64"), 41, 42); });
  cases.add("int32", [](Case& c) { randint_case(c, dtype("int32"), 0, 1000); });
  cases.add("float32", [](Case& c) { randint_case(c, float32(), -3, 4); });
}

CLAUSE_CASES(OPS, packed_weights) {
  cases.add("weight_int4pack_mm", [](Case& c) {
    packed_case(c, [&](auto x, auto packed, auto scale, AtenTensorHandle* out) {
      return SHIM(aoti_torch_cuda__weight_int4pack_mm)(x, packed, int64_t{32}, scale, out);
    });
  });
  cases.add("int4_plain_mm", [](Case& c) {
    packed_case(c, [&](auto x, auto packed, auto scale, AtenTensorHandle* out) {
      return SHIM(aoti_torch_cuda_int4_plain_mm)(x, packed, scale, scale, scale, scale, int64_t{32},
                                                 out);
    });
  });
  cases.add("int5_plain_mm", [](Case& c) {
    packed_case(c, [&](auto x, auto packed, auto scale, AtenTensorHandle* out) {
      return SHIM(aoti_torch_cuda_int5_plain_mm)(x, packed, packed, scale, scale, scale, scale,
                                                 int64_t{32}, out);
    });
  });
  cases.add("int6_plain_mm", [](Case& c) {
    packed_case(c, [&](auto x, auto packed, auto scale, AtenTensorHandle* out) {
      return SHIM(aoti_torch_cuda_int6_plain_mm)(x, packed, packed, scale, scale, int64_t{32}, out);
    });
  });
  cases.add("int8_plain_mm", [](Case& c) {
    packed_case(c, [&](auto x, auto packed, auto scale, AtenTensorHandle* out) {
      return SHIM(aoti_torch_cuda_int8_plain_mm)(x, packed, scale, scale, int64_t{32}, out);
    });
  });
}

}  // namespace aoti_cts::suite
