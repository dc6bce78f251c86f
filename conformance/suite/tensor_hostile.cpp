// Section TENSOR, bad input: what a runtime owes to a caller that is wrong or hostile.
//
//   aoti-cts check --select 'TENSOR.null-args'  the built-in reference: PASS
//
// Each hostile call is a case of its own: where a runtime crashes on one, that is evidence about
// that call and no other. What a refused call leaves in its output is TENSOR.error-leaves-out's.
#include <array>
#include <climits>
#include <cstring>
#include <limits>

#include "suite/tensor_makers.h"
#include "suite/tensor_util.h"

namespace aoti_cts::suite {
namespace {

constexpr int64_t int64_min = std::numeric_limits<int64_t>::min();
constexpr int64_t int64_max = std::numeric_limits<int64_t>::max();

/// "minus5" for -5: case names are identifiers.
std::string word(int64_t value) {
  if (value == int64_min) return "int64_min";
  if (value == int64_max) return "int64_max";
  if (value == INT_MIN) return "int32_min";
  if (value == INT_MAX) return "int32_max";
  return value < 0 ? fmt::format("minus{}", -value) : std::to_string(value);
}

/// The maker, given this and otherwise good arguments, must refuse.
void refuses(Case& c, const Maker& maker, const Arrays& arrays, const Codes& codes = {}) {
  const Memory memory(256);
  Tensor self;
  if (!maker.has_dtype) self = from_blob(c, memory.data(), {"", {64}, {1}, 0}, float32());
  want_error(c, maker.name, [&](AtenTensorHandle* out) {
    return maker.call(c, memory.data(), self.get(), arrays, codes, out);
  });
}

void refuses(Case& c, const Maker& maker, const Geometry& g) { refuses(c, maker, arrays_of(g)); }

/// A case for each maker that takes dtype and device of its own (views: see VIEW.negative and
/// VIEW.bounds).
void add_refused(CaseList& cases, const std::string& name, const Geometry& g) {
  for (const Maker& maker : makers()) {
    if (!maker.has_dtype) continue;
    cases.add(fmt::format("{}_{}", maker.name, name),
              [&maker, g](Case& c) { refuses(c, maker, g); });
  }
}

}  // namespace

CLAUSE_CASES(TENSOR, negative_size) {
  for (const int64_t bad : {int64_t{-1}, int64_t{-3}, int64_min}) {
    add_refused(cases, fmt::format("size_{}", word(bad)), {"", {bad}, {1}, 0});
    add_refused(cases, fmt::format("inner_size_{}", word(bad)), {"", {2, bad, 3}, {9, 3, 1}, 0});
    add_refused(cases, fmt::format("stride_{}", word(bad)), {"", {2}, {bad}, 0});
    add_refused(cases, fmt::format("inner_stride_{}", word(bad)), {"", {2, 2, 3}, {9, bad, 1}, 0});
  }
  // Two wrongs make a right product: 6 elements.
  add_refused(cases, "two_negative_sizes", {"", {-2, -3}, {3, 1}, 0});
}

// -------------------------------------------------------------------------------------- overflow

namespace {

/// clone of a valid tensor of a few bytes whose dense copy no machine can hold.
void refuses_clone(Case& c, std::vector<int64_t> sizes) {
  const Memory memory(64);
  const Geometry g{"", std::move(sizes), {0, 0}, 0};
  AtenTensorHandle self = nullptr;
  const AOTITorchError made = makers()[1].call(c, memory.data(), nullptr, arrays_of(g), {}, &self);
  if (made != 0 || self == nullptr) c.skip("the candidate refuses the tensor itself");
  const Tensor source(c, self);
  want_error(c, "clone", [&](AtenTensorHandle* out) { return copier("clone").call(c, self, out); });
}

}  // namespace

CLAUSE_CASES(TENSOR, overflow) {
  const int64_t two32 = int64_t{1} << 32;
  const int64_t two62 = int64_t{1} << 62;
  add_refused(cases, "product_wraps_to_0", {"", {two32, two32}, {two32, 1}, 0});
  add_refused(cases, "product_wraps_to_8", {"", {two62 + 2, 4}, {4, 1}, 0});
  add_refused(cases, "product_wraps_negative", {"", {two62, 3}, {3, 1}, 0});
  add_refused(cases, "product_wraps_in_expanded", {"", {two32, two32, 2}, {0, 0, 1}, 0});
  add_refused(cases, "bytes_wrap_to_0", {"", {two62}, {1}, 0});
  add_refused(cases, "bytes_wrap_to_8", {"", {two62 + 2}, {1}, 0});
  add_refused(cases, "size_int64_max", {"", {int64_max}, {1}, 0});
  add_refused(cases, "extent_wraps_to_1", {"", {5}, {two62}, 0});
  add_refused(cases, "extent_wraps_over_dims", {"", {3, 3}, {two62, two62}, 0});
  add_refused(cases, "extent_bytes_wrap_to_4", {"", {3}, {two62}, 0});
  add_refused(cases, "stride_int64_max", {"", {2}, {int64_max}, 0});
  for (const Maker& maker : makers()) {
    if (!maker.borrows) continue;
    for (const int64_t offset : {two62, int64_max}) {
      cases.add(fmt::format("{}_offset_{}", maker.name, word(offset)), [&maker, offset](Case& c) {
        refuses(c, maker, {"", {2}, {1}, offset});
      });
    }
  }
  // More than a user's half of a 48-bit address space.
  cases.add("empty_strided_2_to_the_50_bytes", [](Case& c) {
    refuses(c, makers()[0], {"", {int64_t{1} << 48}, {1}, 0});
  });
  cases.add("empty_strided_2_to_the_60_bytes", [](Case& c) {
    refuses(c, makers()[0], {"", {int64_t{1} << 58}, {1}, 0});
  });
  cases.add("clone_2_to_the_51_bytes", [](Case& c) {
    refuses_clone(c, {int64_t{1} << 31, int64_t{1} << 18});
  });
  cases.add("clone_2_to_the_60_bytes", [](Case& c) {
    refuses_clone(c, {int64_t{1} << 29, int64_t{1} << 29});
  });
}

// ------------------------------------------------------------------------------------------ ndim

CLAUSE_CASES(TENSOR, ndim) {
  for (const Maker& maker : makers()) {
    for (const int64_t ndim :
         {int64_t{-1}, int64_t{-2}, int64_min, int64_t{1} << 40, int64_t{1} << 61, int64_max}) {
      cases.add(fmt::format("{}_{}", maker.name, word(ndim)), [&maker, ndim](Case& c) {
        static constexpr std::array<int64_t, 16> ones = {1, 1, 1, 1, 1, 1, 1, 1,
                                                         1, 1, 1, 1, 1, 1, 1, 1};
        refuses(c, maker, {ndim, ones.data(), ones.data(), 0});
      });
    }
  }
}

// ------------------------------------------------------------------------------------- null_args

namespace {

void null_handle(CaseList& cases, const char* shim,
                 const std::function<AOTITorchError(Case&, AtenTensorHandle)>& call) {
  cases.add(fmt::format("{}_of_null", shim), [=](Case& c) {
    HAVE_WANT_AS(fmt::format("{} of a null handle is an error", shim), call(c, nullptr) != 0, true);
  });
}

void null_output(CaseList& cases, const char* shim,
                 const std::function<AOTITorchError(Case&, AtenTensorHandle)>& call) {
  cases.add(fmt::format("{}_to_null", shim), [=](Case& c) {
    const Memory memory(64, 1);
    const Tensor self = from_blob(c, memory.data(), {"", {1}, {1}, 0}, dtype("bool"));
    HAVE_WANT_AS(fmt::format("{} to a null output is an error", shim), call(c, self.get()) != 0,
                 true);
  });
}

// Both for a shim(handle, T* out).
#define NULL_GETTER(T, name)                                  \
  null_handle(cases, #name, [](Case& c, AtenTensorHandle h) { \
    Padded<T> out;                                            \
    return SHIM(aoti_torch_##name)(h, &out.value);            \
  });                                                         \
  null_output(cases, #name,                                   \
              [](Case& c, AtenTensorHandle h) { return SHIM(aoti_torch_##name)(h, nullptr); })

void null_maker_args(CaseList& cases, const Maker& maker) {
  static constexpr std::array<int64_t, 2> array = {1, 1};
  cases.add(fmt::format("{}_to_null", maker.name), [&maker](Case& c) {
    const Memory memory(64);
    const Tensor self = from_blob(c, memory.data(), {"", {4}, {1}, 0}, float32());
    const Arrays arrays{2, array.data(), array.data(), 0};
    HAVE_WANT(maker.call(c, memory.data(), self.get(), arrays, {}, nullptr) != 0, true);
  });
  cases.add(fmt::format("{}_null_sizes", maker.name), [&maker](Case& c) {
    refuses(c, maker, {2, nullptr, array.data(), 0});
  });
  cases.add(fmt::format("{}_null_strides", maker.name), [&maker](Case& c) {
    refuses(c, maker, {2, array.data(), nullptr, 0});
  });
}

void null_copy_args(CaseList& cases) {
  for (const bool null_self : {true, false}) {
    cases.add(null_self ? "copy_into_null" : "copy_from_null", [null_self](Case& c) {
      const Memory memory(64);
      const Tensor tensor = from_blob(c, memory.data(), {"", {4}, {1}, 0}, float32());
      const AtenTensorHandle to = null_self ? nullptr : tensor.get();
      const AtenTensorHandle from = null_self ? tensor.get() : nullptr;
      HAVE_WANT(SHIM(aoti_torch_copy_)(to, from, 0) != 0, true);
    });
  }
}

}  // namespace

CLAUSE_CASES(TENSOR, null_args) {
  NULL_GETTER(int64_t, get_dim);
  NULL_GETTER(int64_t, get_numel);
  NULL_GETTER(int64_t*, get_sizes);
  NULL_GETTER(int64_t*, get_strides);
  NULL_GETTER(int64_t, get_storage_offset);
  NULL_GETTER(int64_t, get_storage_size);
  NULL_GETTER(int32_t, get_dtype);
  NULL_GETTER(int32_t, get_device_type);
  NULL_GETTER(int32_t, get_device_index);
  NULL_GETTER(void*, get_data_ptr);
  NULL_GETTER(bool, item_bool);
  NULL_GETTER(AtenTensorHandle, clone);
  NULL_GETTER(AtenTensorHandle, clone_preserve_strides);
  NULL_GETTER(AtenTensorHandle, new_tensor_handle);
  NULL_GETTER(AtenTensorHandle, assign_tensors_out);
  null_handle(cases, "reinterpret", [](Case& c, AtenTensorHandle h) {
    AtenTensorHandle out = nullptr;
    return deriver("reinterpret").call(c, h, {"", {1}, {1}, 0}, &out);
  });
  for (const Maker& maker : makers()) null_maker_args(cases, maker);
  null_copy_args(cases);
}

#undef NULL_GETTER

CLAUSE_CASES(TENSOR, delete_null) {
  cases.add("delete_null", [](Case& c) {
    c.saw(SHIM(aoti_torch_delete_tensor_object)(nullptr) == 0 ? "success" : "error");
  });
}

// ------------------------------------------------------------------------- bad_dtype, bad_layout

CLAUSE_CASES(TENSOR, bad_dtype) {
  const Geometry g{"", {2}, {1}, 0};
  for (const Maker& maker : makers()) {
    if (!maker.has_dtype) continue;
    // 256 + 6 and 2^16 + 6 are float32 to a runtime that narrows the code. libtorch 2.15.0 has the
    // codes up to 46, a complex pair of bfloat16, and 47 for no dtype at all.
    for (const int32_t code :
         {-1, -6, 47, 48, 99, 127, 128, 255, 256 + 6, (1 << 16) + 6, INT_MIN, INT_MAX}) {
      cases.add(fmt::format("{}_{}", maker.name, word(code)),
                [&maker, code, g](Case& c) { refuses(c, maker, arrays_of(g), {code}); });
    }
  }
}

CLAUSE_CASES(TENSOR, bad_layout) {
  const Geometry g{"", {2}, {1}, 0};
  for (const Maker& maker : makers()) {
    if (maker.name != "from_blob_v2") continue;
    for (const int32_t layout : {-1, 1, 2, 3, 4, 5, 6, 7, 8, 99, 256, 1 << 16, INT_MIN, INT_MAX}) {
      cases.add(word(layout), [&maker, layout, g](Case& c) {
        refuses(c, maker, arrays_of(g), {6, device_cpu, -1, layout});
      });
    }
  }
}

// ---------------------------------------------------------------------------------- no_terminate

namespace {

/// For calls of which any answer will do: the case fails by not getting here.
void came_back(Case& c) { HAVE_WANT_AS("the call came back", true, true); }

/// Whatever the call gives, it comes back. A handle that came of it is left alone: what is accepted
/// wrongly is another clause's.
void comes_back(Case& c, const Maker& maker, const Arrays& arrays, const Codes& codes = {}) {
  const Memory memory(256);
  Tensor self;
  if (!maker.has_dtype) self = from_blob(c, memory.data(), {"", {64}, {1}, 0}, float32());
  AtenTensorHandle out = nullptr;
  maker.call(c, memory.data(), self.get(), arrays, codes, &out);
  came_back(c);
}

bool same_codes(const Codes& a, const Codes& b) {
  return a.dtype == b.dtype && a.device_type == b.device_type && a.device_index == b.device_index &&
         a.layout == b.layout;
}

/// All that can be asked of a tensor of many dimensions, each 1, comes back.
void many_dims_come_back(Case& c, const Maker& maker, int64_t ndim) {
  const std::vector<int64_t> ones(static_cast<size_t>(ndim), 1);
  const Geometry g{"", ones, ones, 0};
  const Memory memory(64);
  Tensor self;
  if (!maker.has_dtype) self = from_blob(c, memory.data(), {"", {16}, {1}, 0}, float32());
  AtenTensorHandle out = nullptr;
  const AOTITorchError error = maker.call(c, memory.data(), self.get(), arrays_of(g), {}, &out);
  came_back(c);
  if (error != 0 || out == nullptr) return;
  const Tensor tensor(c, out);
  HAVE_WANT(get_dim(c, out), ndim);
  for (const Deriver& deriver : derivers()) {
    AtenTensorHandle derived = nullptr;
    if (deriver.call(c, out, g, &derived) == 0) Tensor(c, derived).reset();
  }
  SHIM(aoti_torch_copy_)(out, out, 0);
}

void warns(Case& c, const std::string& text) {
  SHIM(aoti_torch_warn)(text.c_str(), text.c_str(), UINT32_MAX, text.c_str());
  came_back(c);
}

void add_texts(CaseList& cases) {
  cases.add("warn_of_nothing", [](Case& c) { warns(c, ""); });
  cases.add("warn_of_a_mebibyte", [](Case& c) { warns(c, std::string(1 << 20, 'w')); });
  cases.add("warn_of_format_directives", [](Case& c) { warns(c, "%s%s%s%n%n%n{}{:d}%99999999d"); });
  cases.add("warn_of_no_utf8", [](Case& c) { warns(c, "\xff\xfe\x80 \x1b[2J"); });
  cases.add("check_true_of_format_directives", [](Case& c) {
    SHIM(aoti_torch_check)(true, "%n%s", "%n%s", UINT32_MAX, "%n%s{}");
    came_back(c);
  });
}

void add_copies(CaseList& cases) {
  cases.add("copy_of_unlike_ranks", [](Case& c) {
    const Memory memory(1024);
    for (int64_t from = 0; from <= 8; ++from) {
      for (int64_t to = 0; to <= 8; ++to) {
        const std::vector<int64_t> ones(8, 1);
        const Geometry source{"",
                              {ones.begin(), ones.begin() + from},
                              contiguous_strides({ones.begin(), ones.begin() + from}),
                              0};
        const Geometry target{"",
                              {ones.begin(), ones.begin() + to},
                              contiguous_strides({ones.begin(), ones.begin() + to}),
                              16};
        const Tensor a = from_blob(c, memory, source, float32());
        const Tensor b = from_blob(c, memory, target, float32());
        SHIM(aoti_torch_copy_)(b.get(), a.get(), INT_MIN);
        HAVE_WANT_AS("memory around", memory.canaries_intact(), true);
      }
    }
  });
  cases.add("item_of_no_element", [](Case& c) {
    const Tensor nothing = empty(c, {"", {0}, {1}, 0}, dtype("bool"));
    Padded<bool> out;
    SHIM(aoti_torch_item_bool)(nothing.get(), &out.value);
    HAVE_WANT_AS("the call came back", out.after, decltype(out.after){});
  });
}

}  // namespace

CLAUSE_CASES(TENSOR, no_terminate) {
  const int64_t two62 = int64_t{1} << 62;
  const auto add = [&](const std::string& name, const Geometry& g, const Codes& codes = {}) {
    for (const Maker& maker : makers()) {
      const bool sees = maker.has_dtype && (codes.layout == 0 || maker.name == "from_blob_v2");
      if (!sees && !same_codes(codes, {})) continue;  // has no parameter for the fault
      cases.add(fmt::format("{}_{}", maker.name, name),
                [&maker, g, codes](Case& c) { comes_back(c, maker, arrays_of(g), codes); });
    }
  };
  add("huge_sizes", {"", {int64_max, int64_max, int64_max}, {1, 1, 1}, 0});
  add("huge_strides", {"", {2, 2, 2}, {int64_max, int64_max, int64_max}, 0});
  add("lowest_sizes_and_strides", {"", {int64_min, int64_min}, {int64_min, int64_min}, 0});
  add("lowest_offset", {"", {2}, {1}, int64_min});
  add("highest_offset", {"", {2}, {1}, int64_max});
  add("a_product_beyond_int64", {"", {two62, 0, two62}, {1, 1, 1}, 0});
  for (const int32_t code : {INT_MIN, INT_MAX}) {
    const Geometry pair{"", {2}, {1}, 0};
    add(fmt::format("dtype_{}", word(code)), pair, {code});
    add(fmt::format("device_type_{}", word(code)), pair, {6, code});
    add(fmt::format("device_index_{}", word(code)), pair, {6, device_cpu, code});
    add(fmt::format("cuda_index_{}", word(code)), pair, {6, device_cuda, code});
    add(fmt::format("layout_{}", word(code)), pair, {6, device_cpu, -1, code});
  }
  for (const Maker& maker : makers()) {
    for (const int64_t ndim : {16, 17, 25, 63, 64, 65, 128, 1000}) {
      cases.add(fmt::format("{}_of_{}_dims", maker.name, ndim),
                [&maker, ndim](Case& c) { many_dims_come_back(c, maker, ndim); });
    }
  }
  add_texts(cases);
  add_copies(cases);
}

}  // namespace aoti_cts::suite
