// Section TENSOR, output parameters: what is written there, when, and nothing beside it.
//
//   aoti-cts check --select 'TENSOR.*-*o*'      the built-in reference: every clause PASS
#include <cstring>

#include "suite/tensor_makers.h"
#include "suite/tensor_util.h"

namespace aoti_cts::suite {
namespace {

/// A value that no runtime hands out: an address that is neither null nor mapped.
AtenTensorHandle sentinel() {
  return reinterpret_cast<AtenTensorHandle>(static_cast<std::uintptr_t>(0x5E5E'5E5E'5E50));
}

constexpr int64_t count = 4;
const Geometry& line() {
  static const Geometry g{"", {count}, {1}, 0};
  return g;
}

// ------------------------------------------------------------------------------ error_leaves_out

/// After success: a fresh handle that works.
void success_writes(Case& c, std::string_view what, AOTITorchError error, AtenTensorHandle out,
                    AtenTensorHandle other) {
  NEED(error, 0);
  HAVE_WANT_AS(fmt::format("{} left the output unwritten", what), out == sentinel(), false);
  HAVE_WANT_AS(fmt::format("{} wrote null", what), out == nullptr, false);
  HAVE_WANT_AS(fmt::format("{} wrote a handle in use", what), out == other, false);
  if (out == sentinel() || out == nullptr || out == other) return;
  const Tensor tensor(c, out);
  HAVE_WANT_AS(fmt::format("dim of what {} wrote", what), get_dim(c, out), int64_t{1});
}

/// After a call that ought to fail. A runtime that accepts it and writes a handle is another
/// clause's matter; one that says success and writes nothing is this one's.
void failure_leaves(Case& c, std::string_view what, AOTITorchError error, AtenTensorHandle out) {
  if (error == 0) {
    HAVE_WANT_AS(fmt::format("{} reported success and left the output unwritten", what),
                 out == sentinel() || out == nullptr, false);
    return;
  }
  if (out == sentinel() || out == nullptr) {
    HAVE_WANT_AS(what, error != 0, true);
  } else {
    c.fail(fmt::format("output after {} failed", what), show(out),
           "as it was (" + show(sentinel()) + ") or null");
  }
}

/// One way to make a maker fail by a call that C allows.
struct BadCall {
  const char* name;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  Codes codes;
  bool needs_dtype;  ///< the fault is in a code that _reinterpret_tensor does not take
  /// The only maker that it is a fault for; empty: for all.
  std::string_view only{};
};

const std::vector<BadCall>& bad_calls() {
  static const std::vector<BadCall> rows = {
      {"negative_size", {-2}, {1}, {}, false},
      {"negative_stride", {2}, {-1}, {}, false},
      {"size_overflow", {int64_t{1} << 62, 16}, {16, 1}, {}, false},
      {"bad_device_type", {2}, {1}, {6, 99}, true},
      {"bad_layout", {2}, {1}, {6, device_cpu, -1, 3}, true, "from_blob_v2"},
      {"bad_dtype", {2}, {1}, {99}, true},
      {"out_of_bounds", {count + 1}, {1}, {}, false, "reinterpret"},
      {"out_of_bounds_by_stride", {2, 2}, {1000, 1}, {}, false, "reinterpret"},
      {"unallocatable", {int64_t{1} << 48}, {1}, {}, true, "empty_strided"},
  };
  return rows;
}

void bad_call_leaves(Case& c, const Maker& maker, const BadCall& bad) {
  const Memory memory(64);
  const Tensor self = from_blob(c, memory.data(), line(), float32());
  const Arrays arrays{static_cast<int64_t>(bad.sizes.size()), bad.sizes.data(), bad.strides.data(),
                      0};
  AtenTensorHandle out = sentinel();
  const AOTITorchError error = maker.call(c, memory.data(), self.get(), arrays, bad.codes, &out);
  failure_leaves(c, fmt::format("{} with {}", maker.name, bad.name), error, out);
}

void pinned_failure_leaves(Case& c) {
  AtenTensorHandle out = sentinel();
  const AOTITorchError error = SHIM(aoti_torch_empty_strided_pinned)(
      1, args(line().sizes), args(line().strides), float32().code, device_cuda, 0, &out);
  failure_leaves(c, "empty_strided_pinned on cuda", error, out);
}

void unallocatable_clone_leaves(Case& c, const Deriver& deriver) {
  const Memory memory(4);
  const Geometry g{"", {int64_t{1} << 31, int64_t{1} << 18}, {0, 0}, 0};
  AtenTensorHandle self = nullptr;
  const AOTITorchError made = makers()[1].call(c, memory.data(), nullptr, arrays_of(g), {}, &self);
  if (made != 0 || self == nullptr) c.skip("the candidate refuses a tensor of 2^49 elements");
  const Tensor owner(c, self);
  AtenTensorHandle out = sentinel();
  const AOTITorchError error = deriver.call(c, self, g, &out);
  failure_leaves(c, fmt::format("{} of 2^51 bytes", deriver.name), error, out);
}

/// The one output that is no handle and has calls that must fail: a caller that goes on would take
/// what is there for the answer. False is what null is to a handle.
void item_failure_leaves(Case& c, int64_t elements) {
  const Geometry g{"", {elements}, {1}, 0};
  for (const unsigned char fill : {0x00, 0x01}) {
    const Memory memory(16, fill == 0 ? 1 : 0);
    const Tensor tensor = from_blob(c, memory.data(), g, dtype("bool"));
    unsigned char out = fill;
    static_assert(sizeof(bool) == sizeof out);
    const AOTITorchError error =
        SHIM(aoti_torch_item_bool)(tensor.get(), reinterpret_cast<bool*>(&out));
    if (error == 0) c.skip(fmt::format("item_bool of {} elements is not refused here", elements));
    HAVE_WANT_AS(fmt::format("whether the output of a failed item_bool is {} or 0", fill),
                 out == fill || out == 0, true);
  }
}

}  // namespace

CLAUSE_CASES(TENSOR, error_leaves_out) {
  for (const Maker& maker : makers()) {
    cases.add(fmt::format("{}_success", maker.name), [&maker](Case& c) {
      const Memory memory(64);
      const Tensor self = from_blob(c, memory.data(), line(), float32());
      AtenTensorHandle out = sentinel();
      const AOTITorchError error =
          maker.call(c, memory.data(), self.get(), arrays_of(line()), {}, &out);
      success_writes(c, maker.name, error, out, self.get());
    });
    for (const BadCall& bad : bad_calls()) {
      if (bad.needs_dtype && !maker.has_dtype) continue;
      if (!bad.only.empty() && maker.name != bad.only) continue;
      cases.add(fmt::format("{}_{}", maker.name, bad.name),
                [&maker, &bad](Case& c) { bad_call_leaves(c, maker, bad); });
    }
  }
  for (const Deriver& deriver : derivers()) {
    cases.add(fmt::format("derived_by_{}_success", deriver.name), [&deriver](Case& c) {
      const Memory memory(64);
      const Tensor self = from_blob(c, memory.data(), line(), float32());
      AtenTensorHandle out = sentinel();
      const AOTITorchError error = deriver.call(c, self.get(), line(), &out);
      success_writes(c, deriver.name, error, out, self.get());
    });
  }
  cases.add("pinned_on_accelerator", pinned_failure_leaves);
  cases.add("clone_unallocatable",
            [](Case& c) { unallocatable_clone_leaves(c, deriver("clone")); });
  for (const int64_t elements : {0, 2, 7}) {
    cases.add(fmt::format("item_bool_of_{}", elements),
              [elements](Case& c) { item_failure_leaves(c, elements); });
  }
}

// ------------------------------------------------------------------------------------ no_clobber

namespace {

/// An output between canaries. All bytes start as `fill`, so that a write that is too narrow leaves
/// some of it and one that is too wide changes a neighbour.
// Sizes of pointer outputs are what is meant here.
// NOLINTBEGIN(bugprone-sizeof-expression)
template <class T>
struct Framed {
  struct Layout {
    std::array<unsigned char, 64> before;
    T value;
    std::array<unsigned char, 64> after;
  };
  alignas(64) std::array<unsigned char, sizeof(Layout)> bytes;

  explicit Framed(unsigned char fill) : fill_(fill) { bytes.fill(fill); }
  T* out() { return reinterpret_cast<T*>(bytes.data() + offsetof(Layout, value)); }
  T value() const {
    T copied;
    std::memcpy(&copied, bytes.data() + offsetof(Layout, value), sizeof copied);
    return copied;
  }
  /// Bytes next to the value that are no longer `fill`.
  int64_t clobbered() const {
    int64_t changed = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      const bool inside = i >= offsetof(Layout, value) && i < offsetof(Layout, value) + sizeof(T);
      if (!inside && bytes[i] != fill_) ++changed;
    }
    return changed;
  }

 private:
  unsigned char fill_;
};

// NOLINTEND(bugprone-sizeof-expression)

/// A float32 tensor {3} at offset 5 of a borrowed block.
struct Subject {
  Memory memory{64};
  Geometry geometry{"", {3}, {2}, 5};
  Tensor tensor;
  explicit Subject(Case& c) : tensor(from_blob(c, memory, geometry, float32())) {}
};

template <class T>
void getter_writes_exactly(Case& c, AOTITorchError (*AotiShimTable::*getter)(AtenTensorHandle, T*),
                           const char* name, const std::function<T(const Subject&)>& want) {
  const Subject subject(c);
  for (const unsigned char fill : {0xA5, 0x00, 0xFF}) {
    Framed<T> framed(fill);
    NEED(c.shim(getter, name)(subject.tensor.get(), framed.out()), 0);
    HAVE_WANT_AS(fmt::format("bytes clobbered beside the output of {}", name), framed.clobbered(),
                 int64_t{0});
    if (want) HAVE_WANT_AS(name, framed.value(), want(subject));
  }
}

/// Judges pointers that the suite cannot predict: written whole, they are equal whatever was there.
void array_getter_writes_exactly(Case& c,
                                 AOTITorchError (*AotiShimTable::*getter)(AtenTensorHandle,
                                                                          int64_t**),
                                 const char* name, int64_t want) {
  const Subject subject(c);
  for (const unsigned char fill : {0xA5, 0x00, 0xFF}) {
    Framed<int64_t*> framed(fill);
    NEED(c.shim(getter, name)(subject.tensor.get(), framed.out()), 0);
    HAVE_WANT_AS(fmt::format("bytes clobbered beside the output of {}", name), framed.clobbered(),
                 int64_t{0});
    NEED(framed.value() != nullptr, true);
    HAVE_WANT_AS(name, framed.value()[0], want);
  }
}

using Call = std::function<AOTITorchError(Case&, void* data, AtenTensorHandle, AtenTensorHandle*)>;

void maker_writes_exactly(Case& c, std::string_view name, const Call& call) {
  for (const unsigned char fill : {0xA5, 0x00, 0xFF}) {
    const Memory memory(64);
    const Tensor self = from_blob(c, memory.data(), line(), float32());
    Framed<AtenTensorHandle> framed(fill);
    if (call(c, memory.data(), self.get(), framed.out()) != 0) {
      c.skip(fmt::format("{} is refused here", name));
    }
    HAVE_WANT_AS(fmt::format("bytes clobbered beside the output of {}", name), framed.clobbered(),
                 int64_t{0});
    const Tensor made(c, framed.value());
    HAVE_WANT_AS(fmt::format("dim of what {} wrote", name), get_dim(c, made.get()), int64_t{1});
  }
}

void item_writes_exactly(Case& c, bool value) {
  const Geometry g{"", {1}, {1}, 0};
  const Memory memory(16, value ? 1 : 0);
  const Tensor tensor = from_blob(c, memory.data(), g, dtype("bool"));
  std::vector<unsigned> written;
  for (const unsigned char fill : {0xA5, 0x00, 0xFF}) {
    Framed<bool> framed(fill);
    NEED(SHIM(aoti_torch_item_bool)(tensor.get(), framed.out()), 0);
    HAVE_WANT_AS("bytes clobbered beside the output of item_bool", framed.clobbered(), int64_t{0});
    written.push_back(framed.bytes[offsetof(Framed<bool>::Layout, value)]);
  }
  // Which value it is TENSOR.item-bool judges; here, that the byte was written at all.
  HAVE_WANT_AS("bytes of item_bool over 0xa5, 0x00 and 0xff", written,
               std::vector<unsigned>(3, written.front()));
}

}  // namespace

CLAUSE_CASES(TENSOR, no_clobber) {
  const auto int64_getter = [&](auto getter, const char* name, int64_t want) {
    cases.add(name, [=](Case& c) {
      getter_writes_exactly<int64_t>(c, getter, name, [=](const Subject&) { return want; });
    });
  };
  int64_getter(&AotiShimTable::aoti_torch_get_dim, "aoti_torch_get_dim", 1);
  int64_getter(&AotiShimTable::aoti_torch_get_numel, "aoti_torch_get_numel", 3);
  int64_getter(&AotiShimTable::aoti_torch_get_storage_offset, "aoti_torch_get_storage_offset", 5);
  int64_getter(&AotiShimTable::aoti_torch_get_storage_size, "aoti_torch_get_storage_size", 40);
  const auto int32_getter = [&](auto getter, const char* name,
                                const std::function<int32_t(const Subject&)>& want) {
    cases.add(name, [=](Case& c) { getter_writes_exactly<int32_t>(c, getter, name, want); });
  };
  int32_getter(&AotiShimTable::aoti_torch_get_dtype, "aoti_torch_get_dtype",
               [](const Subject&) { return 6; });
  int32_getter(&AotiShimTable::aoti_torch_get_device_type, "aoti_torch_get_device_type",
               [](const Subject&) { return device_cpu; });
  int32_getter(&AotiShimTable::aoti_torch_get_device_index, "aoti_torch_get_device_index", nullptr);
  cases.add("aoti_torch_get_device_index_whole", [](Case& c) {
    const Subject subject(c);
    Framed<int32_t> zeros(0x00);
    Framed<int32_t> ones(0xFF);
    NEED(SHIM(aoti_torch_get_device_index)(subject.tensor.get(), zeros.out()), 0);
    NEED(SHIM(aoti_torch_get_device_index)(subject.tensor.get(), ones.out()), 0);
    HAVE_WANT_AS("index over zeros and over ones", zeros.value(), ones.value());
  });
  cases.add("aoti_torch_get_data_ptr", [](Case& c) {
    getter_writes_exactly<void*>(
        c, &AotiShimTable::aoti_torch_get_data_ptr, "aoti_torch_get_data_ptr",
        [](const Subject& s) -> void* { return s.memory.first(s.geometry, float32()); });
  });
  cases.add("aoti_torch_get_sizes", [](Case& c) {
    array_getter_writes_exactly(c, &AotiShimTable::aoti_torch_get_sizes, "aoti_torch_get_sizes", 3);
  });
  cases.add("aoti_torch_get_strides", [](Case& c) {
    array_getter_writes_exactly(c, &AotiShimTable::aoti_torch_get_strides, "aoti_torch_get_strides",
                                2);
  });
  cases.add("aoti_torch_item_bool_false", [](Case& c) { item_writes_exactly(c, false); });
  cases.add("aoti_torch_item_bool_true", [](Case& c) { item_writes_exactly(c, true); });
  const auto add_maker = [&](const std::string& name, Call call) {
    cases.add(name,
              [name, call = std::move(call)](Case& c) { maker_writes_exactly(c, name, call); });
  };
  for (const Maker& maker : makers()) {
    add_maker("made_by_" + maker.name,
              [&maker](Case& c, void* data, AtenTensorHandle self, AtenTensorHandle* out) {
                return maker.call(c, data, self, arrays_of(line()), {}, out);
              });
  }
  for (const Deriver& deriver : derivers()) {
    add_maker("derived_by_" + deriver.name,
              [&deriver](Case& c, void*, AtenTensorHandle self, AtenTensorHandle* out) {
                return deriver.call(c, self, line(), out);
              });
  }
  cases.add("made_by_empty_strided_pinned", [](Case& c) {
    Framed<AtenTensorHandle> framed(0xA5);
    const AOTITorchError error = SHIM(aoti_torch_empty_strided_pinned)(
        1, args(line().sizes), args(line().strides), float32().code, device_cpu, -1, framed.out());
    HAVE_WANT_AS("bytes clobbered beside the output", framed.clobbered(), int64_t{0});
    if (error == 0) HAVE_WANT(framed.value() != nullptr, true);
  });
}

}  // namespace aoti_cts::suite
