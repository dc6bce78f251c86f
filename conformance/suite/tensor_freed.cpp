// TENSOR.freed: what a handle held is given back when it is deleted.
//
//   aoti-cts check --select TENSOR.freed        the built-in reference: one PASS line
//
// The storage behind empty_strided and behind views is VIEW.outlives' matter; here are the other
// ways to a handle, and what each call might lose by itself. Large blocks show a storage that is
// lost, small ones repeated very often a handle.
#include <cstring>
#include <thread>

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
constexpr int refused_rounds = 10'000;
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

/// A storage larger than what the C library serves from its heap, so that freeing it gives its
/// pages back at once and no gap in the heap is mistaken for a loss. Only its start is in use.
const Geometry& block() {
  static const Geometry g{"", {40 * mib / 4}, {1}, 0};
  return g;
}
constexpr int64_t block_used = 2 * mib;
constexpr int64_t block_limit = 10 * mib;

void use(Case& c, AtenTensorHandle tensor) {
  std::byte* const data = get_data_ptr(c, tensor);
  for (int64_t at = 0; at < block_used; at += 4096) data[at] = std::byte{1};
}

Tensor used_block(Case& c) {
  Tensor made = empty(c, block(), float32());
  use(c, made.get());
  return made;
}

/// Ends the case where a round is lost without what it is about: not this case's matter.
void need_freed(Case& c, std::string_view what, const std::function<void()>& round) {
  if (grows(c, large_rounds, block_limit, round)) c.skip(fmt::format("{} is not freed", what));
}

/// Large storages that die with a second handle.
void large_shared(Case& c, const Deriver& deriver, bool source_first) {
  need_freed(c, "empty_strided itself", [&] { used_block(c); });
  want_no_growth(c, fmt::format("{} on a storage of 40 MiB, 2 in use", deriver.name), large_rounds,
                 block_limit, [&] {
                   Tensor source = used_block(c);
                   Tensor other = deriver.tensor(c, source.get(), block());
                   (source_first ? source : other).reset();
                 });
}

/// Deletes through the table: a Case is the first thread's alone. What delete returns is
/// TENSOR.delete-succeeds's.
void delete_on_a_thread(Case& c, Tensor tensor) {
  const auto call = c.table().aoti_torch_delete_tensor_object;
  AtenTensorHandle handle = tensor.release();
  std::thread([&] { call(handle); }).join();
}

/// What a handle holds is given back on whatever thread it is deleted.
void large_elsewhere(Case& c, const Deriver* deriver) {
  if (!c.has(&AotiShimTable::aoti_torch_delete_tensor_object)) {
    c.skip("needs aoti_torch_delete_tensor_object, which the candidate does not export");
  }
  const auto round = [&](bool elsewhere) {
    Tensor last = used_block(c);
    if (deriver != nullptr) last = deriver->tensor(c, last.get(), block());
    if (elsewhere) delete_on_a_thread(c, std::move(last));
  };
  need_freed(c, "what is deleted on the first thread", [&] { round(false); });
  want_no_growth(c, "a storage of 40 MiB, 2 in use, deleted on another thread", large_rounds,
                 block_limit, [&] { round(true); });
}

AOTITorchError call_pinned(Case& c, const Geometry& g, AtenTensorHandle* out) {
  return SHIM(aoti_torch_empty_strided_pinned)(g.rank(), args(g.sizes), args(g.strides),
                                               float32().code, device_cpu, -1, out);
}

void large_pinned(Case& c) {
  want_no_growth(c, "empty_strided_pinned of 40 MiB, 2 in use", large_rounds, block_limit, [&] {
    AtenTensorHandle handle = nullptr;
    const AOTITorchError error = call_pinned(c, block(), &handle);
    if (error != 0 || handle == nullptr) c.skip("empty_strided_pinned is refused here");
    const Tensor made(c, handle);
    use(c, handle);
  });
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
    const AOTITorchError error = call_pinned(c, small(), &handle);
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

/// A copy for which a runtime may make another one on the way.
struct Copy {
  const char* name;
  Geometry from;
  Geometry to;
  const char* from_type;
};

const std::vector<Copy>& copies() {
  static const std::vector<Copy> rows = {
      {"permuted", {"", {64, 64}, {1, 64}, 0}, {"", {64, 64}, {64, 1}, 0}, "float32"},
      {"converted", {"", {64, 64}, {64, 1}, 0}, {"", {64, 64}, {64, 1}, 0}, "int32"},
      {"broadcast", {"", {64}, {1}, 0}, {"", {64, 64}, {64, 1}, 0}, "float32"},
  };
  return rows;
}

void copied(Case& c, const Copy& copy) {
  const DType& from_type = dtype(copy.from_type);
  const Memory source(copy.from, from_type, 0);
  const Memory target(copy.to, float32());
  const Tensor from = from_blob(c, source, copy.from, from_type);
  const Tensor to = from_blob(c, target, copy.to, float32());
  want_no_growth(c, fmt::format("copy_ of 16 KiB, {}", copy.name), 500, 2 * mib, [&] {
    if (SHIM(aoti_torch_copy_)(to.get(), from.get(), 0) != 0) {
      c.skip(fmt::format("copy_ refuses one that is {}", copy.name));
    }
  });
}

// A refused call loses nothing either. One that is taken is another clause's matter.

void want_refusals_lose_nothing(Case& c, const std::string& what,
                                const std::function<AOTITorchError()>& call) {
  want_no_loss(c, "refused " + what, refused_rounds, small_limit, [&] {
    if (call() == 0) c.skip(what + " is not refused here");
  });
}

void refused_made(Case& c, const Maker& maker) {
  const Memory memory(small(), float32());
  const Tensor self = from_blob(c, memory, small(), float32());
  const Geometry negative{"", {-2, 2}, {2, 1}, 0};
  want_refusals_lose_nothing(c, maker.name + " of a negative size", [&] {
    AtenTensorHandle out = nullptr;
    return maker.call(c, memory.data(), self.get(), arrays_of(negative), {}, &out);
  });
}

void refused_copy(Case& c) {
  const Memory memory(small(), float32());
  const Geometry three{"", {3}, {1}, 0};
  const Tensor to = from_blob(c, memory, small(), float32());
  const Tensor from = from_blob(c, memory, three, float32());
  want_refusals_lose_nothing(c, "copy_ of {3} to {2, 2}",
                             [&] { return SHIM(aoti_torch_copy_)(to.get(), from.get(), 0); });
}

/// A refused view holds nothing of the storage that it would have been on.
void refused_view(Case& c, const Geometry& g) {
  need_freed(c, "empty_strided itself", [&] { used_block(c); });
  want_no_growth(c, "a refused view of a storage of 40 MiB, 2 in use", large_rounds, block_limit,
                 [&] {
                   const Tensor source = used_block(c);
                   AtenTensorHandle out = nullptr;
                   if (SHIM(aoti_torch__reinterpret_tensor)(source.get(), g.rank(), args(g.sizes),
                                                            args(g.strides), g.offset, &out) == 0) {
                     Tensor(c, out).reset();
                     c.skip("the view is not refused here");
                   }
                 });
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

void add_refused(CaseList& cases) {
  for (const Maker& maker : makers()) {
    cases.add("refused_" + maker.name, [&maker](Case& c) { refused_made(c, maker); });
  }
  cases.add("refused_copy", refused_copy);
  cases.add("storage_of_a_refused_view", [](Case& c) { refused_view(c, {"", {-1}, {1}, 0}); });
  cases.add("storage_of_a_view_out_of_bounds", [](Case& c) {
    refused_view(c, {"", block().sizes, {1}, 1});
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
  cases.add("storage_of_empty_strided_pinned", large_pinned);
  for (const Copy& copy : copies()) {
    cases.add(fmt::format("copy_of_{}", copy.name), [&copy](Case& c) { copied(c, copy); });
  }
  cases.add("item_bool", items);
  cases.add("on_another_thread", [](Case& c) { large_elsewhere(c, nullptr); });
  for (const char* name : {"new_tensor_handle", "reinterpret"}) {
    cases.add(fmt::format("on_another_thread_{}", name),
              [name](Case& c) { large_elsewhere(c, &deriver(name)); });
  }
  add_refused(cases);
}

}  // namespace aoti_cts::suite
