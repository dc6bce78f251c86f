// Section TENSOR, what moves values: copy_, clone, clone_preserve_strides.
//
//   aoti-cts check --select 'TENSOR.c[lo]*'     the built-in reference: every clause PASS or INFO
//
// Sources and destinations lie in memory of the suite's own (create_tensor_from_blob), so that
// every byte of the destination, gaps and surroundings too, is compared with what index arithmetic
// says.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "suite/tensor_makers.h"
#include "suite/tensor_util.h"

namespace aoti_cts::suite {
namespace {

using namespace std::string_view_literals;

AOTITorchError copy(Case& c, AtenTensorHandle to, AtenTensorHandle from, int32_t non_blocking = 0) {
  return SHIM(aoti_torch_copy_)(to, from, non_blocking);
}

bool overlaps_itself(const Geometry& g) {
  for (size_t d = 0; d < g.sizes.size(); ++d) {
    if (g.sizes[d] > 1 && g.strides[d] == 0) return true;
  }
  return false;
}

/// "none", or where two blocks begin to differ: of large ones no report shows the contents.
template <class T>
std::string difference(const std::vector<T>& have, const std::vector<T>& want) {
  if (have.size() != want.size()) return fmt::format("{} of {}", have.size(), want.size());
  const auto at = std::mismatch(have.begin(), have.end(), want.begin());
  if (at.first == have.end()) return "none";
  int64_t count = 0;
  for (size_t i = 0; i < have.size(); ++i) count += have[i] == want[i] ? 0 : 1;
  return fmt::format("at {} of {}: {}, not {}; {} in all", at.first - have.begin(), have.size(),
                     *at.first, *at.second, count);
}

/// Judges two blocks, and shows them where that says something.
template <class T>
void same(Case& c, const std::string& what, const std::vector<T>& have,
          const std::vector<T>& want) {
  if (want.size() <= 64) {
    HAVE_WANT_AS(what, have, want);
  } else {
    HAVE_WANT_AS(what + ", differences", difference(have, want), std::string("none"));
  }
}

void copies_by_index(Case& c, const Geometry& from, const Geometry& to, const DType& type,
                     int32_t non_blocking) {
  const Memory source(from, type);
  const Memory target(to, type);
  fill_any(source.first(from, type), from, type, 3);
  const std::vector<uint64_t> values = read(source.first(from, type), from, type);
  Memory want(to, type);
  write(want.first(to, type), to, type, values);
  const std::vector<uint8_t> source_before = source.bytes();
  const Tensor from_tensor = from_blob(c, source, from, type);
  const Tensor to_tensor = from_blob(c, target, to, type);
  const std::string what = fmt::format("{} into {}", from.name, to.name);
  HAVE_WANT_AS(what, copy(c, to_tensor.get(), from_tensor.get(), non_blocking), 0);
  same(c, what + ", bytes of the destination", target.bytes(), want.bytes());
  same(c, what + ", bytes of the source", source.bytes(), source_before);
  HAVE_WANT_AS(what + ", memory around", target.canaries_intact() && source.canaries_intact(),
               true);
}

void copies_all_of_rank(Case& c, int64_t rank, const DType& type, int32_t non_blocking) {
  for (const Geometry& from : geometries(rank)) {
    for (const Geometry& to : geometries(rank)) {
      if (from.sizes != to.sizes || overlaps_itself(to)) continue;
      copies_by_index(c, from, to, type, non_blocking);
      copies_by_index(c, at_offset(from, 5), to, type, non_blocking);
      copies_by_index(c, from, at_offset(to, 3), type, non_blocking);
    }
  }
}

/// Geometries of one shape each, above the sizes at which a runtime may turn to blocks, threads or
/// narrow counters, with tails that no block divides.
std::vector<std::vector<Geometry>> large_shapes() {
  std::vector<std::vector<Geometry>> shapes;
  for (const int64_t size : {1025, 4099, 65539, 1'048'583}) {
    shapes.push_back({{"contiguous", {size}, {1}, 0}, {"strided", {size}, {3}, 2}});
  }
  shapes.push_back({{"contiguous", {1023, 1025}, {1025, 1}, 1},
                    {"transposed", {1023, 1025}, {1, 1023}, 0},
                    {"gapped", {1023, 1025}, {1027, 1}, 0}});
  shapes.push_back({{"contiguous", {97, 101, 107}, {10807, 107, 1}, 0},
                    {"permuted", {97, 101, 107}, {1, 97 * 107, 97}, 0}});
  return shapes;
}

/// Layouts that geometries() lacks: elements that share memory in ways that show neither in the
/// extent nor in the outermost stride, and gaps that are longer than the elements between them.
const std::vector<Geometry>& odd_layouts() {
  static const std::vector<Geometry> layouts = {
      {"3x3_by_2x2", {3, 3}, {2, 2}, 0},  // an extent of 9, and 5 different elements
      {"3x3_by_1x1", {3, 3}, {1, 1}, 0},
      {"4x3_by_2x1", {4, 3}, {2, 1}, 0},
      {"2x2x3_by_1x3x2", {2, 2, 3}, {1, 3, 2}, 0},
      {"inner_expanded", {3, 4}, {1, 0}, 0},
      {"inner_expanded_gapped", {2, 3, 4}, {9, 2, 0}, 0},
      {"middle_expanded", {2, 3, 4}, {4, 0, 1}, 0},
      {"two_inner_expanded", {3, 2, 2}, {1, 0, 0}, 0},
      {"far_rows", {4, 8}, {64, 1}, 0},
      {"far_columns", {8, 4}, {1, 64}, 0},
  };
  return layouts;
}

void copies_from_odd_layouts(Case& c, const DType& type) {
  for (const Geometry& from : odd_layouts()) {
    const Geometry to = packed(from);
    Geometry backwards = to;
    backwards.name += "_permuted";
    backwards.strides.assign(to.sizes.size(), 1);
    for (size_t d = 1; d < to.sizes.size(); ++d) {
      backwards.strides[d] = backwards.strides[d - 1] * to.sizes[d - 1];
    }
    Geometry gapped = to;
    gapped.name += "_gapped";
    for (int64_t& stride : gapped.strides) stride *= 3;
    for (const Geometry& target : {to, backwards, gapped, at_offset(to, 3)}) {
      copies_by_index(c, from, target, type, 0);
      copies_by_index(c, at_offset(from, 5), target, type, 0);
    }
  }
}

/// Adds a case for each large shape: the thousands in every width of element, a million in two,
/// which keeps it cheap.
void add_large(CaseList& cases,
               const std::function<void(Case&, const std::vector<Geometry>&, const DType&)>& body) {
  for (const char* name : {"uint8", "float32", "bfloat16", "int64"}) {
    const DType& type = dtype(name);
    for (const std::vector<Geometry>& shape : large_shapes()) {
      const bool thousands = numel(shape.front().sizes) < 100'000;
      if (!thousands && type.name != "uint8"sv && type.name != "float32"sv) continue;
      std::string case_name = fmt::format("large_{}", type.name);
      for (const int64_t size : shape.front().sizes) case_name += fmt::format("_{}", size);
      cases.add(case_name, [=](Case& c) { body(c, shape, type); });
    }
  }
}

void onto_itself(Case& c, bool same_handle) {
  for (const DType& type : core_dtypes) {
    for (const char* name : {"rank1_contiguous", "rank3_rotated", "rank4_gapped"}) {
      for (Geometry g : geometries()) {
        if (g.name != name) continue;
        g = at_offset(g, 2);
        const Memory memory(g, type);
        fill_any(memory.first(g, type), g, type);
        const std::vector<uint8_t> before = memory.bytes();
        const Tensor one = from_blob(c, memory, g, type);
        const Tensor two = from_blob(c, memory, g, type);
        HAVE_WANT(copy(c, one.get(), same_handle ? one.get() : two.get()), 0);
        HAVE_WANT(memory.bytes(), before);
      }
    }
  }
}

/// Shapes that do not broadcast: an error, and the destination is what it was.
void refuses(Case& c, const std::vector<int64_t>& from, const std::vector<int64_t>& to) {
  const Geometry source{"", from, contiguous_strides(from), 0};
  const Geometry target{"", to, contiguous_strides(to), 0};
  const Memory source_memory(source, float32());
  const Memory target_memory(target, float32());
  fill(target_memory.data(), target, float32());
  const std::vector<uint8_t> before = target_memory.bytes();
  const Tensor source_tensor = from_blob(c, source_memory, source, float32());
  const Tensor target_tensor = from_blob(c, target_memory, target, float32());
  HAVE_WANT(copy(c, target_tensor.get(), source_tensor.get()) != 0, true);
  HAVE_WANT(target_memory.bytes(), before);
  HAVE_WANT(target_memory.canaries_intact(), true);
}

}  // namespace

CLAUSE_CASES(TENSOR, copy) {
  for (const DType& type : core_dtypes) {
    for (int64_t rank = 0; rank <= 8; ++rank) {
      for (const int32_t non_blocking : {0, 1}) {
        const char* how = non_blocking != 0 ? "_non_blocking" : "";
        cases.add(fmt::format("{}_rank{}{}", type.name, rank, how),
                  [=](Case& c) { copies_all_of_rank(c, rank, type, non_blocking); });
      }
    }
  }
  for (const DType& type : core_dtypes) {
    cases.add(fmt::format("odd_layouts_{}", type.name),
              [type](Case& c) { copies_from_odd_layouts(c, type); });
  }
  add_large(cases, [](Case& c, const std::vector<Geometry>& shape, const DType& type) {
    copies_by_index(c, shape[0], shape[0], type, 1);
    for (size_t i = 0; i < shape.size(); ++i) {
      copies_by_index(c, shape[i], shape[(i + 1) % shape.size()], type, 0);
    }
  });
  cases.add("onto_itself_same_handle", [](Case& c) { onto_itself(c, true); });
  cases.add("onto_itself_other_handle", [](Case& c) { onto_itself(c, false); });
  cases.add("refuses_3_into_8", [](Case& c) { refuses(c, {3}, {8}); });
  cases.add("refuses_3_into_4x8", [](Case& c) { refuses(c, {3}, {4, 8}); });
  cases.add("refuses_8x4_into_4x8", [](Case& c) { refuses(c, {8, 4}, {4, 8}); });
  cases.add("refuses_1x1x4_into_4", [](Case& c) { refuses(c, {1, 1, 4}, {4}); });
  cases.add("refuses_4_into_scalar", [](Case& c) { refuses(c, {4}, {}); });
  cases.add("refuses_0_into_4", [](Case& c) { refuses(c, {0}, {4}); });
}

// --------------------------------------------------------------------------------- copy_converts

namespace {

/// Runs the copy; true when it succeeded. An error is allowed where a runtime does not support the
/// copy, and must leave the destination as it was.
bool copied_or_untouched(Case& c, const Tensor& to, const Tensor& from, const Memory& target) {
  const std::vector<uint8_t> before = target.bytes();
  const bool ok = copy(c, to.get(), from.get()) == 0;
  if (!ok) HAVE_WANT_AS("destination of a refused copy", target.bytes(), before);
  HAVE_WANT_AS("memory around the destination", target.canaries_intact(), true);
  return ok;
}

void broadcasts_from(Case& c, const Geometry& source, const std::vector<int64_t>& to,
                     const DType& type) {
  const std::vector<int64_t>& from = source.sizes;
  const Geometry target{"", to, contiguous_strides(to), 0};
  const Memory source_memory(source, type);
  const Memory target_memory(target, type);
  fill(source_memory.first(source, type), source, type);
  // The source as the destination's shape sees it: leading dimensions and sizes of 1 have stride 0.
  Geometry seen{"", to, std::vector<int64_t>(to.size(), 0), 0};
  for (size_t d = 0; d < from.size(); ++d) {
    if (from[d] != 1) seen.strides[d + to.size() - from.size()] = source.strides[d];
  }
  const Tensor source_tensor = from_blob(c, source_memory, source, type);
  const Tensor target_tensor = from_blob(c, target_memory, target, type);
  if (!copied_or_untouched(c, target_tensor, source_tensor, target_memory)) return;
  same(c, fmt::format("{} by {} into {}", show(from), show(source.strides), show(to)),
       read(target_memory.data(), target, type),
       read(source_memory.first(source, type), seen, type));
}

void broadcasts(Case& c, const std::vector<int64_t>& from, const std::vector<int64_t>& to,
                const DType& type) {
  broadcasts_from(c, {"", from, contiguous_strides(from), 0}, to, type);
}

/// Values that each exercise one rule of conversion. Those that a pair of dtypes cannot represent
/// are left out by representable().
const std::vector<double>& interesting_values() {
  static const double nan = std::numeric_limits<double>::quiet_NaN();
  static const std::vector<double> values = {
      0, -0.0, 1, -1, 2, 7, 100, 127, -128, 200, 255, 256, 32767, -32768, 65504,
      // Truncation towards zero.
      0.5, -0.5, 0.999, 1.5, 2.5, 3.75, -3.75, 126.9,
      // Ties and near-ties of half (11 bits) and bfloat16 (8 bits).
      257, 258, 259, 385, 2049, 2050, 2051, 4098, 1.00390625, 1.01171875, 1.00048828125,
      1.00146484375, 0.1, 1.0 / 3, 3.140625, 1e-3, 6.103515625e-05, 5.9604644775390625e-08, 3e-8,
      // Integers that float32 cannot hold all of.
      16777216, 2147483520, -2147483648.0,
      // Beyond 32 bits, of no more than 24 significant ones.
      4294967296, 4294967808, 3e9, -3e9, 1e10, -1e10, 1099511627776, -1099511627776,
      4611686018427387904, -9223372036854775808.0,
      // Beyond every integer, and subnormal in float32.
      1e30, -1e32, 3e38, 1e-30, -1e-40,
      // Neither of them is judged where the destination is an integer.
      HUGE_VAL, -HUGE_VAL, nan};
  return values;
}

bool is_float(const DType& type) { return type.code == 5 || type.code == 6 || type.code == 15; }

/// Whether the clause says what `value`, an element of `from`, becomes in `to`.
bool representable(double value, const DType& to) {
  if (to.code == 11) return true;
  if (std::isnan(value) || std::isinf(value)) return is_float(to);
  if (to.code == 5) return std::fabs(value) <= 65504;
  if (is_float(to)) return true;
  const double limit = std::ldexp(1.0, static_cast<int>(8 * to.size) - (to.code == 0 ? 0 : 1));
  const double low = to.code == 0 ? 0 : -limit;
  return std::trunc(value) >= low && std::trunc(value) < limit;
}

/// Whether an element of `from` can be this value at all, after rounding if it is a float.
bool holds(double value, const DType& from) {
  return is_float(from) ? representable(value, from)
                        : representable(value, from) && std::trunc(value) == value;
}

uint64_t converted(double value, const DType& to) {
  if (is_float(to) || to.code == 11) return encode(to, value);
  return encode(to, std::trunc(value));
}

/// Many small integers, each exact in either dtype.
void converts_many(Case& c, const DType& from, const DType& to, int64_t count) {
  const Geometry g{"", {count}, {1}, 0};
  const Memory source(g, from);
  const Memory target(g, to);
  fill(source.data(), g, from);
  const Tensor source_tensor = from_blob(c, source, g, from);
  const Tensor target_tensor = from_blob(c, target, g, to);
  if (!copied_or_untouched(c, target_tensor, source_tensor, target)) return;
  same(c, fmt::format("{} elements of {} as {}", count, from.name, to.name),
       read(target.data(), g, to), patterns(to, count));
}

/// One conversion between two layouts of one shape: every byte of the destination is judged.
void converts_by_index(Case& c, const Geometry& source, const DType& from, const Geometry& target,
                       const DType& to) {
  const Memory source_memory(source, from);
  const Memory target_memory(target, to);
  fill(source_memory.first(source, from), source, from, 7);
  std::vector<uint64_t> values = read(source_memory.first(source, from), source, from);
  for (uint64_t& bits : values) bits = converted(decode(from, bits), to);
  Memory want(target, to);
  write(want.first(target, to), target, to, values);
  const Tensor source_tensor = from_blob(c, source_memory, source, from);
  const Tensor target_tensor = from_blob(c, target_memory, target, to);
  if (!copied_or_untouched(c, target_tensor, source_tensor, target_memory)) return;
  same(c, fmt::format("{} of {} into {} of {}", source.name, from.name, target.name, to.name),
       target_memory.bytes(), want.bytes());
}

void converts_layouts(Case& c, const DType& from, const DType& to, int64_t rank) {
  for (const Geometry& source : geometries(rank)) {
    for (const Geometry& target : geometries(rank)) {
      if (source.sizes != target.sizes || overlaps_itself(target)) continue;
      converts_by_index(c, at_offset(source, 1), from, target, to);
      converts_by_index(c, source, from, at_offset(target, 3), to);
    }
  }
}

void converts(Case& c, const DType& from, const DType& to) {
  std::vector<double> values;
  for (const double value : interesting_values()) {
    if (!holds(value, from)) continue;
    const double element = decode(from, encode(from, value));
    if (representable(element, to)) values.push_back(element);
  }
  const auto count = static_cast<int64_t>(values.size());
  const Geometry g{"", {count}, {1}, 0};
  const Memory source(g, from);
  const Memory target(g, to);
  for (int64_t i = 0; i < count; ++i) {
    store(source.data(), i, from, encode(from, values[static_cast<size_t>(i)]));
  }
  const Tensor source_tensor = from_blob(c, source, g, from);
  const Tensor target_tensor = from_blob(c, target, g, to);
  if (!copied_or_untouched(c, target_tensor, source_tensor, target)) return;
  for (int64_t i = 0; i < count; ++i) {
    const double value = values[static_cast<size_t>(i)];
    const uint64_t have = load(target.data(), i, to);
    if (std::isnan(value) && is_float(to)) {  // which NaN is not said
      HAVE_WANT_AS("NaN stays NaN", std::isnan(decode(to, have)), true);
    } else {
      HAVE_WANT_AS(fmt::format("bits of {} as {}", value, to.name), have, converted(value, to));
    }
  }
}

}  // namespace

CLAUSE_CASES(TENSOR, copy_converts) {
  for (const DType& from : core_dtypes) {
    for (const DType& to : core_dtypes) {
      if (from.code == to.code) continue;
      cases.add(fmt::format("{}_to_{}", from.name, to.name), [from, to](Case& c) {
        converts(c, from, to);
        converts_layouts(c, from, to, 0);
      });
    }
  }
  for (const auto& [from, to] : std::vector<std::pair<const char*, const char*>>{
           {"float32", "bfloat16"}, {"int64", "uint8"}, {"uint8", "float32"}, {"int32", "int64"}}) {
    cases.add(fmt::format("large_{}_to_{}", from, to), [from = from, to = to](Case& c) {
      for (const int64_t count : {1025, 4099, 65539, 1'048'583}) {
        converts_many(c, dtype(from), dtype(to), count);
      }
    });
  }
  for (const auto& [from, to] :
       std::vector<std::pair<const char*, const char*>>{{"float32", "bfloat16"},
                                                        {"float16", "float32"},
                                                        {"int64", "uint8"},
                                                        {"uint8", "float32"},
                                                        {"int32", "int64"},
                                                        {"bool", "int64"},
                                                        {"float32", "bool"}}) {
    cases.add(fmt::format("layouts_{}_to_{}", from, to), [from = from, to = to](Case& c) {
      for (int64_t rank = 1; rank <= 5; ++rank) converts_layouts(c, dtype(from), dtype(to), rank);
      for (const Geometry& g : odd_layouts()) {
        converts_by_index(c, g, dtype(from), packed(g), dtype(to));
      }
    });
  }
  for (const DType& type : core_dtypes) {
    cases.add(fmt::format("broadcast_strided_{}", type.name), [type](Case& c) {
      broadcasts_from(c, {"", {3, 4}, {1, 3}, 0}, {2, 3, 4}, type);
      broadcasts_from(c, {"", {3, 4}, {10, 2}, 5}, {2, 3, 4}, type);
      broadcasts_from(c, {"", {8}, {3}, 2}, {4, 8}, type);
      broadcasts_from(c, {"", {3, 1}, {7, 1}, 0}, {3, 4}, type);
      broadcasts_from(c, {"", {2, 1, 3}, {1, 9, 2}, 1}, {5, 2, 4, 3}, type);
    });
    cases.add(fmt::format("broadcast_{}", type.name), [type](Case& c) {
      broadcasts(c, {1025}, {1027, 1025}, type);
      broadcasts(c, {8}, {4, 8}, type);
      broadcasts(c, {1}, {5}, type);
      broadcasts(c, {}, {3, 2}, type);
      broadcasts(c, {1, 4}, {3, 4}, type);
      broadcasts(c, {3, 1}, {3, 4}, type);
      broadcasts(c, {2, 1, 3}, {5, 2, 4, 3}, type);
      broadcasts(c, {1}, {0}, type);
      broadcasts(c, {}, {1, 1}, type);
    });
  }
}

// ---------------------------------------------------------------------------------- copy_overlap

namespace {

struct Overlap {
  const char* name;
  Geometry from;
  Geometry to;
};

const std::vector<Overlap>& overlaps() {
  static const std::vector<Overlap> rows = {
      {"into_expanded", {"", {4, 4}, {4, 1}, 16}, {"", {4, 4}, {0, 1}, 0}},
      {"into_window", {"", {4, 4}, {4, 1}, 16}, {"", {4, 4}, {1, 1}, 0}},
      {"forward_by_one", {"", {8}, {1}, 0}, {"", {8}, {1}, 1}},
      {"backward_by_one", {"", {8}, {1}, 1}, {"", {8}, {1}, 0}},
      {"transposed_in_place", {"", {4, 4}, {1, 4}, 0}, {"", {4, 4}, {4, 1}, 0}},
  };
  return rows;
}

/// Copies between two tensors that overlap and records how it went: over one memory, which the
/// runtime may not know to be one, or as views of one storage, which it must know.
void overlapping(Case& c, const Overlap& overlap, bool views) {
  const Memory memory(256);
  for (int64_t i = 0; i < 64; ++i) store(memory.data(), i, float32(), pattern(float32(), i));
  const Tensor whole = from_blob(c, memory, {"", {64}, {1}, 0}, float32());
  const auto over = [&](const Geometry& g) {
    return views ? view(c, whole.get(), g) : from_blob(c, memory, g, float32());
  };
  const Tensor source = over(overlap.from);
  const Tensor target = over(overlap.to);
  c.saw(copy(c, target.get(), source.get()) == 0 ? "copies" : "error");
}

}  // namespace

CLAUSE_CASES(TENSOR, copy_overlap) {
  for (const Overlap& overlap : overlaps()) {
    cases.add(overlap.name, [&overlap](Case& c) { overlapping(c, overlap, false); });
    cases.add(std::string("views_") + overlap.name,
              [&overlap](Case& c) { overlapping(c, overlap, true); });
  }
}

// ----------------------------------------------------------------------------------------- clone

namespace {

/// The geometry of a copy as the candidate reports it; storage offset 0 unless said otherwise.
Geometry reported(Case& c, AtenTensorHandle tensor, int64_t rank) {
  return {"", get_sizes(c, tensor, rank), get_strides(c, tensor, rank), 0};
}

/// Judges that the copy holds the source's values in memory of its own.
void independent_copy(Case& c, const Memory& source, const Geometry& from, const Geometry& to,
                      const Tensor& copied, const DType& type) {
  if (numel(from.sizes) == 0) return;
  const std::vector<uint64_t> values = read(source.first(from, type), from, type);
  std::byte* data = get_data_ptr(c, copied.get());
  NEED(data != nullptr, true);
  same(c, from.name + " values", read(data, to, type), values);
  store(source.first(from, type), 0, type, ~load(source.first(from, type), 0, type));
  same(c, from.name + " after a write to the source", read(data, to, type), values);
  const std::vector<uint8_t> before = source.bytes();
  std::memset(data, 0x11, static_cast<size_t>(extent(to) * type.size));
  same(c, from.name + " source after a write to the copy", source.bytes(), before);
}

void clones(Case& c, const Geometry& g, const DType& type) {
  const Memory memory(g, type);
  fill_any(memory.first(g, type), g, type);
  const Tensor source = from_blob(c, memory, g, type);
  const Tensor copied = copier("clone").tensor(c, source.get());
  const Geometry got = reported(c, copied.get(), g.rank());
  HAVE_WANT_AS(g.name + " sizes", got.sizes, g.sizes);
  HAVE_WANT_AS(g.name + " dtype", get_dtype(c, copied.get()), type.code);
  if (got.sizes != g.sizes) return;
  if (is_dense(g)) {
    for (size_t d = 0; d < g.sizes.size(); ++d) {
      if (g.sizes[d] == 1) continue;
      HAVE_WANT_AS(fmt::format("{} stride {}", g.name, d), got.strides[d], g.strides[d]);
    }
  } else {
    HAVE_WANT_AS(fmt::format("{} packed by strides {}", g.name, show(got.strides)), is_dense(got),
                 true);
    if (!is_dense(got)) return;
  }
  independent_copy(c, memory, g, got, copied, type);
}

void clones_strides(Case& c, const Geometry& g, const DType& type) {
  const Memory memory(g, type);
  fill_any(memory.first(g, type), g, type);
  const Tensor source = from_blob(c, memory, g, type);
  const Tensor copied = copier("clone_preserve_strides").tensor(c, source.get());
  const Geometry got = reported(c, copied.get(), g.rank());
  HAVE_WANT_AS(g.name + " sizes", got.sizes, g.sizes);
  HAVE_WANT_AS(g.name + " strides", got.strides, g.strides);
  HAVE_WANT_AS(g.name + " dtype", get_dtype(c, copied.get()), type.code);
  HAVE_WANT_AS(g.name + " storage offset", get_storage_offset(c, copied.get()), int64_t{0});
  if (got.sizes != g.sizes || got.strides != g.strides) return;
  independent_copy(c, memory, g, got, copied, type);
}

/// Two copies that live at once have memory of their own, up to the last element of each.
void live_apart(Case& c, const Copier& how, const Geometry& g, const DType& type) {
  const Memory memory(g, type);
  fill_any(memory.first(g, type), g, type);
  const Tensor source = from_blob(c, memory, g, type);
  const Tensor one = how.tensor(c, source.get());
  const Tensor two = how.tensor(c, source.get());
  const Geometry got = reported(c, one.get(), g.rank());
  if (got.sizes != g.sizes) return;
  const int64_t bytes = extent(got) * type.size;
  const int64_t held = get_storage_size(c, one.get());
  HAVE_WANT_AS(
      fmt::format("{}: a storage of {} bytes holds the {} of the copy", g.name, held, bytes),
      held >= bytes, true);
  const auto first = reinterpret_cast<uintptr_t>(get_data_ptr(c, one.get()));
  const auto second = reinterpret_cast<uintptr_t>(get_data_ptr(c, two.get()));
  const uintptr_t apart = first < second ? second - first : first - second;
  HAVE_WANT_AS(
      fmt::format("{}: two copies of {} bytes, {} bytes apart, are disjoint", g.name, bytes, apart),
      apart >= static_cast<uintptr_t>(bytes), true);
}

/// A copy above the sizes at which a runtime may put off the copying, or map its memory.
void copies_20_mebibytes(Case& c, const Copier& how) {
  const Geometry g{"20 MiB", {5'242'883}, {1}, 0};
  const Geometry block{"", {251}, {1}, 0};
  const Memory memory(g, float32());
  const auto size = static_cast<size_t>(memory.size());
  const auto step = static_cast<size_t>(block.sizes[0] * float32().size);
  fill_any(memory.data(), block, float32());
  for (size_t at = step; at < size; at += step) {
    std::memcpy(memory.data() + at, memory.data(), std::min(step, size - at));
  }
  const std::vector<uint8_t> want = memory.bytes();
  const Tensor source = from_blob(c, memory, g, float32());
  const Tensor copied = how.tensor(c, source.get());
  std::byte* data = get_data_ptr(c, copied.get());
  NEED(data != nullptr, true);
  const auto holds_want = [&] { return std::memcmp(data, want.data(), size) == 0; };
  HAVE_WANT_AS("the copy holds the bytes of the source", holds_want(), true);
  std::memset(memory.data(), 0x77, size);
  HAVE_WANT_AS("the copy holds them after a write to the source", holds_want(), true);
  std::memset(data, 0x11, size);
  for (const size_t at : {size_t{0}, size / 2, size - 1}) {
    HAVE_WANT_AS(fmt::format("byte {} of the source after a write to the copy", at),
                 std::to_integer<int>(memory.data()[at]), 0x77);
  }
}

void add_by_dtype_and_geometry(CaseList& cases, const Copier& how,
                               void (*body)(Case&, const Geometry&, const DType&)) {
  for (const DType& type : core_dtypes) {
    for (int64_t rank = 0; rank <= 8; ++rank) {
      cases.add(fmt::format("{}_rank{}", type.name, rank), [=](Case& c) {
        for (const Geometry& g : geometries(rank)) body(c, g, type);
      });
      cases.add(fmt::format("{}_rank{}_at_offset", type.name, rank), [=](Case& c) {
        for (const Geometry& g : geometries(rank)) body(c, at_offset(g, 3), type);
      });
    }
  }
  for (const DType& type : core_dtypes) {
    cases.add(fmt::format("odd_layouts_{}", type.name), [=, &how](Case& c) {
      for (const Geometry& g : odd_layouts()) {
        body(c, g, type);
        body(c, at_offset(g, 3), type);
        live_apart(c, how, g, type);
      }
    });
  }
  cases.add("20_mebibytes", [&how](Case& c) { copies_20_mebibytes(c, how); });
  add_large(cases, [body](Case& c, const std::vector<Geometry>& shape, const DType& type) {
    for (const Geometry& g : shape) body(c, g, type);
  });
}

void packs_as(Case& c, const Geometry& g, const std::vector<int64_t>& want) {
  const Memory memory(g, float32());
  const Tensor source = from_blob(c, memory, g, float32());
  const Tensor copied = copier("clone").tensor(c, source.get());
  HAVE_WANT_AS(fmt::format("strides of the clone of {} by {}", show(g.sizes), show(g.strides)),
               get_strides(c, copied.get(), g.rank()), want);
}

}  // namespace

CLAUSE_CASES(TENSOR, clone) { add_by_dtype_and_geometry(cases, copier("clone"), clones); }

CLAUSE_CASES(TENSOR, clone_strides) {
  add_by_dtype_and_geometry(cases, copier("clone_preserve_strides"), clones_strides);
}

CLAUSE_CASES(TENSOR, clone_layout) {
  const auto packs = [&](const char* name, const Geometry& g, const std::vector<int64_t>& want) {
    cases.add(name, [=](Case& c) { packs_as(c, g, want); });
  };
  packs("gapped_rows", {"", {2, 3}, {8, 1}, 0}, {3, 1});
  packs("gapped_columns", {"", {2, 3}, {2, 8}, 0}, {1, 2});
  packs("gapped_inner_pair", {"", {2, 3, 4}, {1, 16, 4}, 0}, {1, 8, 2});
  packs("step_two", {"", {5}, {2}, 0}, {1});
  packs("expanded_rows", {"", {2, 3}, {0, 1}, 0}, {3, 1});
  // Every order of three and of four gapped dimensions.
  for (const size_t rank : {size_t{3}, size_t{4}}) {
    std::vector<int64_t> strides = {5, 50, 500, 5000};
    strides.resize(rank);
    do {
      Geometry g{"", {2, 3, 4, 2}, strides, 0};
      g.sizes.resize(rank);
      std::string name = "order";
      for (const int64_t stride : strides) name += fmt::format("_{}", stride);
      cases.add(name, [g](Case& c) { packs_as(c, g, packed_strides(g)); });
    } while (std::next_permutation(strides.begin(), strides.end()));
  }
}

}  // namespace aoti_cts::suite
