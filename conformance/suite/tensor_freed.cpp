// TENSOR.freed: what a handle held is given back when it is deleted.
//
//   aoti-cts check --select TENSOR.freed        the built-in reference: one PASS line
//
// The storage behind empty_strided and behind views is VIEW.outlives' matter; here are the other
// ways to a handle, and what each call might lose by itself. Large blocks show a storage that is
// lost, small ones repeated very often a handle.
#include <cstring>

#include "suite/growth.h"
#include "suite/tensor_makers.h"
#include "suite/tensor_util.h"

namespace aoti_cts::suite {
namespace {

constexpr int64_t kib = 1024;
constexpr int64_t mib = 1024 * kib;

constexpr int large_rounds = 12;
constexpr int64_t large_bytes = 8 * mib;
constexpr int64_t large_limit = 24 * mib;

constexpr int small_rounds = 60'000;
constexpr int64_t small_limit = 1 * mib;  // 17 bytes a round

const Geometry& small() {
  static const Geometry g{"", {2, 2}, {2, 1}, 0};
  return g;
}

/// A handle that the clause before this one has judged to come into being.
void end_now(Case& c, AOTITorchError error, AtenTensorHandle handle, std::string_view what) {
  if (error != 0 || handle == nullptr) c.skip(fmt::format("{} is refused here", what));
  Tensor(c, handle).reset();
}

/// Copies of a large tensor, each deleted before the next.
void large_copies(Case& c, const Copier& copier) {
  const Geometry g{"", {large_bytes / 8, 2}, {2, 1}, 0};
  const Memory memory(g, float32());
  const Tensor source = from_blob(c, memory, g, float32());
  want_no_growth(c, fmt::format("{} of 8 MiB", copier.name), large_rounds, large_limit,
                 [&] { copier.tensor(c, source.get()); });
}

/// Large storages that die with a second handle. What a round loses without that handle is not this
/// clause's matter.
void large_shared(Case& c, const Deriver& deriver, bool source_first) {
  const Geometry g{"", {large_bytes / 4}, {1}, 0};
  const auto round = [&](bool derived) {
    Tensor source = empty(c, g, float32());
    std::memset(get_data_ptr(c, source.get()), 1, static_cast<size_t>(large_bytes));
    Tensor other;
    if (derived) other = deriver.tensor(c, source.get(), g);
    (source_first ? source : other).reset();
  };
  for (int i = 0; i < large_rounds; ++i) round(false);
  const int64_t before = memory_held(c);
  for (int i = 0; i < 4; ++i) round(false);
  if (memory_held(c) - before > 2 * large_bytes) c.skip("empty_strided itself is not freed");
  want_no_growth(c, fmt::format("{} on a storage of 8 MiB", deriver.name), large_rounds,
                 large_limit, [&] { round(true); });
}

void small_made(Case& c, const Maker& maker) {
  const Memory memory(small(), float32());
  want_no_growth(c, maker.name, small_rounds, small_limit, [&] {
    AtenTensorHandle handle = nullptr;
    const AOTITorchError error =
        maker.call(c, memory.data(), nullptr, arrays_of(small()), {}, &handle);
    end_now(c, error, handle, maker.name);
  });
}

void small_derived(Case& c, const Deriver& deriver) {
  const Memory memory(small(), float32());
  const Tensor source = from_blob(c, memory, small(), float32());
  want_no_growth(c, deriver.name, small_rounds, small_limit, [&] {
    AtenTensorHandle handle = nullptr;
    const AOTITorchError error = deriver.call(c, source.get(), small(), &handle);
    end_now(c, error, handle, deriver.name);
  });
}

void small_pinned(Case& c) {
  want_no_growth(c, "empty_strided_pinned", small_rounds / 10, small_limit, [&] {
    AtenTensorHandle handle = nullptr;
    const AOTITorchError error = SHIM(aoti_torch_empty_strided_pinned)(
        2, args(small().sizes), args(small().strides), float32().code, device_cpu, -1, &handle);
    end_now(c, error, handle, "empty_strided_pinned");
  });
}

/// The arrays that the getters hand out live as long as their handle and no longer.
void arrays_of_a_handle(Case& c) {
  const Memory memory(small(), float32());
  want_no_growth(c, "from_blob, get_sizes and get_strides", small_rounds, small_limit, [&] {
    const Tensor tensor = from_blob(c, memory, small(), float32());
    int64_t* array = nullptr;
    NEED(SHIM(aoti_torch_get_sizes)(tensor.get(), &array), 0);
    NEED(SHIM(aoti_torch_get_strides)(tensor.get(), &array), 0);
  });
}

/// A copy between different strides, for which a runtime may make a packed copy on the way.
void permuted_copies(Case& c) {
  const Geometry from{"", {64, 64}, {1, 64}, 0};
  const Geometry to{"", {64, 64}, {64, 1}, 0};
  const Memory source(from, float32());
  const Memory target(to, float32());
  const Tensor from_tensor = from_blob(c, source, from, float32());
  const Tensor to_tensor = from_blob(c, target, to, float32());
  want_no_growth(c, "copy_ of 16 KiB", 500, 2 * mib,
                 [&] { NEED(SHIM(aoti_torch_copy_)(to_tensor.get(), from_tensor.get(), 0), 0); });
}

void items(Case& c) {
  const Geometry g{"", {1}, {1}, 0};
  const Memory memory(g, dtype("bool"), 1);
  const Tensor tensor = from_blob(c, memory, g, dtype("bool"));
  want_no_growth(c, "item_bool", small_rounds, small_limit, [&] {
    bool value = false;
    NEED(SHIM(aoti_torch_item_bool)(tensor.get(), &value), 0);
  });
}

}  // namespace

CLAUSE_CASES(TENSOR, freed) {
  for (const Maker& maker : makers()) {
    if (!maker.has_dtype) continue;  // views: VIEW.outlives
    cases.add("handles_of_" + maker.name, [&maker](Case& c) { small_made(c, maker); });
  }
  for (const Deriver& deriver : derivers()) {
    if (deriver.name == "reinterpret") continue;
    cases.add("handles_of_" + deriver.name, [&deriver](Case& c) { small_derived(c, deriver); });
    if (!deriver.shares) continue;
    cases.add("storage_of_" + deriver.name + "_source_first",
              [&deriver](Case& c) { large_shared(c, deriver, true); });
    cases.add("storage_of_" + deriver.name + "_source_last",
              [&deriver](Case& c) { large_shared(c, deriver, false); });
  }
  for (const Copier& copier : copiers()) {
    cases.add("storage_of_" + copier.name, [&copier](Case& c) { large_copies(c, copier); });
  }
  cases.add("handles_of_empty_strided_pinned", small_pinned);
  cases.add("arrays_of_sizes_and_strides", arrays_of_a_handle);
  cases.add("copy_of_permuted", permuted_copies);
  cases.add("item_bool", items);
}

}  // namespace aoti_cts::suite
