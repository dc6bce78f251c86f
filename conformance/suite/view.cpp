// Section VIEW: views made by aoti_torch__reinterpret_tensor and the life of the storage behind
// them.
//
// Run alone: aoti-cts check --select 'VIEW.*'; success prints one PASS line for each clause.
//
// One defect should fail one clause, so every clause here stands on as little as it can: sources
// borrow memory of the suite's own unless the clause is about allocation, every view lies well
// inside its storage unless the clause is about bounds, sources and increments start at 0 unless
// the clause is about offsets, and what a handle points at is looked at through its data pointer.
#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "suite/growth.h"
#include "suite/many.h"
#include "suite/tensor_makers.h"
#include "suite/tensor_util.h"

namespace aoti_cts::suite {
namespace {

using Dims = std::vector<int64_t>;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

/// Where a view lies in its storage: a geometry without a name, its offset the increment.
Geometry place(Dims sizes, Dims strides, int64_t offset = 0) {
  return {"", std::move(sizes), std::move(strides), offset};
}

/// Never null: rank 0 with null pointers is a matter of TENSOR.scalar.
const int64_t* pointer_to(const Dims& dims) {
  static constexpr int64_t none = 0;
  return dims.empty() ? &none : dims.data();
}

AOTITorchError try_view(Case& c, const Tensor& self, const Geometry& where, AtenTensorHandle* out) {
  return SHIM(aoti_torch__reinterpret_tensor)(self.get(), where.rank(), pointer_to(where.sizes),
                                              pointer_to(where.strides), where.offset, out);
}

/// A view that the contract grants; ends the case when the candidate refuses it.
Tensor view_of(Case& c, const Tensor& self, const Geometry& where) {
  return make_tensor(c, "_reinterpret_tensor",
                     [&](AtenTensorHandle* out) { return try_view(c, self, where, out); });
}

/// Memory of the suite's own that a source borrows, 64-byte aligned or `shift` bytes off. Element k
/// holds the number k, so that what lies behind a data pointer tells which element it points at.
class Numbered {
 public:
  Numbered(const DType& type, int64_t count, int64_t shift = 0)
      : type_(type), count_(count), shift_(shift), memory_(count * type.size + shift) {
    for (int64_t k = 0; k < count; ++k) store(at(0), k, type, static_cast<uint64_t>(k) & 0xFF);
  }
  std::byte* at(int64_t element) const { return memory_.data() + shift_ + element * type_.size; }
  std::vector<uint8_t> bytes() const { return memory_.bytes(); }
  Tensor borrow(Case& c) const { return borrow(c, place({count_}, {1})); }
  Tensor borrow(Case& c, const Geometry& where) const { return from_blob(c, at(0), where, type_); }

 private:
  DType type_;
  int64_t count_;
  int64_t shift_;
  Memory memory_;
};

// ------------------------------------------------------------------------------------ VIEW.shares

/// The candidate's own memory as float32 of one dimension, every element `value`.
Tensor filled(Case& c, int64_t count, float value) {
  Tensor tensor = empty(c, place({count}, {1}), float32());
  const std::vector<float> values(static_cast<size_t>(count), value);
  std::memcpy(get_data_ptr(c, tensor.get()), values.data(), values.size() * sizeof(float));
  return tensor;
}

std::vector<float> floats_of(Case& c, const Tensor& tensor, int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  std::memcpy(values.data(), get_data_ptr(c, tensor.get()), values.size() * sizeof(float));
  return values;
}

void put_float(Case& c, const Tensor& tensor, int64_t element, float value) {
  std::memcpy(get_data_ptr(c, tensor.get()) + element * float32().size, &value, sizeof(value));
}

std::vector<uint8_t> bytes_at(const std::byte* first, int64_t count) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(first);
  return {bytes, bytes + count};
}

/// The view starts at a 64-byte boundary: no reason to realign it, which is VIEW.exact-pointer's.
void write_through_either(Case& c, const DType& type) {
  const int64_t step = 64 / type.size;
  const int64_t width = 8 * type.size;
  const Numbered memory(type, 2 * step + 16);
  const Tensor source = memory.borrow(c);
  std::byte* const from_source = get_data_ptr(c, source.get()) + 2 * step * type.size;
  const Tensor view = view_of(c, source, place({8}, {1}, 2 * step));
  std::byte* const from_view = get_data_ptr(c, view.get());

  std::vector<uint8_t> want = memory.bytes();
  std::fill_n(want.begin() + 2 * step * type.size, width, 0xA5);
  std::memset(from_view, 0xA5, static_cast<size_t>(width));
  HAVE_WANT_AS("memory after a write through the view", memory.bytes(), want);
  HAVE_WANT_AS("the source after a write through the view", bytes_at(from_source, width),
               bytes_at(memory.at(2 * step), width));
  std::memset(from_source, 0x5A, static_cast<size_t>(width));
  HAVE_WANT_AS("the view after a write through its source", bytes_at(from_view, width),
               std::vector<uint8_t>(static_cast<size_t>(width), 0x5A));
}

void keep_dtype_and_device(Case& c, const DType& type) {
  const Numbered memory(type, 16);
  const Tensor source = memory.borrow(c);
  for (const Geometry& where : {place({4, 4}, {4, 1}), place({}, {}), place({0}, {1})}) {
    const Tensor view = view_of(c, source, where);
    const std::string what = fmt::format("of a view of sizes {}", show(where.sizes));
    HAVE_WANT_AS("dtype " + what, get_dtype(c, view.get()), type.code);
    HAVE_WANT_AS("device type " + what, get_device_type(c, view.get()), device_cpu);
  }
}

void share_owned_storage(Case& c) {
  const Tensor source = filled(c, 64, 0.0F);
  const Tensor view = view_of(c, source, place({8}, {1}, 16));
  for (int64_t k = 0; k < 8; ++k) put_float(c, view, k, 1.0F);
  std::vector<float> want(64, 0.0F);
  std::fill_n(want.begin() + 16, 8, 1.0F);
  HAVE_WANT_AS("the source after ones were written through a view at 16", floats_of(c, source, 64),
               want);
  put_float(c, source, 20, 7.0F);
  HAVE_WANT_AS("element 4 of the view", floats_of(c, view, 8)[4], 7.0F);
}

void share_between_siblings(Case& c) {
  const Tensor source = filled(c, 64, 0.0F);
  const Tensor first = view_of(c, source, place({32}, {1}));
  const Tensor second = view_of(c, source, place({4, 4}, {4, 1}, 16));
  put_float(c, first, 17, 3.0F);
  HAVE_WANT_AS("element 1 of the second view", floats_of(c, second, 16)[1], 3.0F);
  put_float(c, second, 2, 5.0F);
  HAVE_WANT_AS("element 18 of the first view", floats_of(c, first, 32)[18], 5.0F);
}

void share_along_a_chain(Case& c) {
  std::vector<Tensor> chain;
  chain.push_back(filled(c, 64, 0.0F));
  for (int depth = 1; depth < 8; ++depth) {
    chain.push_back(view_of(c, chain.back(), place({8, 8}, {8, 1})));
  }
  put_float(c, chain.back(), 9, 2.0F);
  for (const Tensor& link : chain) {
    HAVE_WANT_AS("element 9 through every link", floats_of(c, link, 64)[9], 2.0F);
  }
}

void copy_into_view(Case& c) {
  const Tensor from = filled(c, 8, 1.0F);
  const Tensor source = filled(c, 64, 0.0F);
  const Tensor view = view_of(c, source, place({8}, {1}, 16));
  NEED(SHIM(aoti_torch_copy_)(view.get(), from.get(), 0), 0);
  std::vector<float> want(64, 0.0F);
  std::fill_n(want.begin() + 16, 8, 1.0F);
  HAVE_WANT_AS("the source after copy_ into a view at 16", floats_of(c, source, 64), want);
}

/// What the storage holds is the same through every handle on it, however little of it each spans.
void share_the_storage_size(Case& c, const DType& type) {
  const Numbered memory(type, 32);
  const Tensor source = memory.borrow(c);
  const Tensor view = view_of(c, source, place({2, 3}, {3, 1}, 5));
  const Tensor view_of_view = view_of(c, view, place({}, {}, 2));
  const Tensor handle = deriver("new_tensor_handle").tensor(c, view.get(), place({2, 3}, {3, 1}));
  HAVE_WANT_AS("storage bytes of a view", get_storage_size(c, view.get()), 32 * type.size);
  HAVE_WANT_AS("storage bytes of a view of a view", get_storage_size(c, view_of_view.get()),
               32 * type.size);
  HAVE_WANT_AS("storage bytes of another handle of a view", get_storage_size(c, handle.get()),
               32 * type.size);
}

// ---------------------------------------------------------------------------------- VIEW.geometry

/// A source with room for every geometry below; its elements are never touched.
Tensor roomy(Case& c, const DType& type) {
  constexpr int64_t count = 1 << 16;
  static std::vector<std::byte> room(count * sizeof(int64_t));
  return from_blob(c, room.data(), place({count}, {1}), type);
}

void geometry_is_as_given(Case& c, const Tensor& source, const Geometry& where) {
  const Tensor view = view_of(c, source, where);
  NEED(get_dim(c, view.get()), where.rank());
  HAVE_WANT_AS("sizes of the view", get_sizes(c, view.get(), where.rank()), where.sizes);
  HAVE_WANT_AS("strides of the view", get_strides(c, view.get(), where.rank()), where.strides);
  // Without elements the count is a matter of TENSOR.zero-size.
  const int64_t count = numel(where.sizes);
  if (count > 0) HAVE_WANT_AS("numel of the view", get_numel(c, view.get()), count);
}

/// A size of 1 and a size of 0 in every dimension, with strides that no rule would give them.
std::vector<Geometry> odd_geometries() {
  std::vector<Geometry> all;
  for (int64_t rank = 1; rank <= 8; ++rank) {
    Geometry dense = geometries(rank).front();
    for (size_t dim = 0; dim < dense.sizes.size(); ++dim) {
      for (const int64_t size : {0, 1}) {
        Geometry odd = dense;
        odd.name = fmt::format("rank{}_size{}_in_dim{}", rank, size, dim);
        odd.sizes[dim] = size;
        odd.strides[dim] = dim % 2 == 0 ? 4099 : 0;
        all.push_back(odd);
      }
    }
  }
  return all;
}

void geometry_through_every_rank(Case& c) {
  std::vector<Tensor> chain;
  chain.push_back(roomy(c, float32()));
  for (const int64_t rank : {8, 0, 5, 1, 7, 3, 4, 2, 6}) {
    const std::vector<Geometry> all = geometries(rank);
    for (const Geometry& where : all) geometry_is_as_given(c, chain.back(), where);
    chain.push_back(view_of(c, chain.back(), all.back()));
  }
}

/// Sizes and strides that 32 bits cannot hold, over few elements. How many they count to is
/// TENSOR.empty's matter.
void geometry_beyond_32_bits(Case& c) {
  const Tensor source = roomy(c, float32());
  constexpr int64_t far = (int64_t{1} << 33) + 1;
  for (const Geometry& where : {place({far}, {0}), place({2, far}, {1, 0}), place({1, 2}, {far, 1}),
                                place({2, 1}, {1, far})}) {
    const Tensor view = view_of(c, source, where);
    HAVE_WANT_AS("sizes of the view", get_sizes(c, view.get(), where.rank()), where.sizes);
    HAVE_WANT_AS("strides of the view", get_strides(c, view.get(), where.rank()), where.strides);
  }
}

void two_views_differ(Case& c) {
  const Tensor source = roomy(c, float32());
  const Tensor first = view_of(c, source, place({2, 3}, {3, 1}));
  geometry_is_as_given(c, source, place({3, 2}, {1, 3}));
  HAVE_WANT_AS("sizes of the first view", get_sizes(c, first.get(), 2), (Dims{2, 3}));
  HAVE_WANT_AS("strides of the first view", get_strides(c, first.get(), 2), (Dims{3, 1}));
}

// ------------------------------------------------------------------------------- VIEW.offset-adds

/// Views made one of another at the given increments, starting from a source at `start`: each has
/// to lie at the sum, by what it reports and by the element that its data pointer shows.
void offsets_add_up(Case& c, const DType& type, int64_t start, const Dims& increments,
                    const Geometry& shape = place({2, 2}, {4, 1})) {
  const Numbered memory(type, 128);
  std::vector<Tensor> chain;
  chain.push_back(memory.borrow(c, place({128 - start}, {1}, start)));
  int64_t want = start;
  for (const int64_t increment : increments) {
    want += increment;
    chain.push_back(view_of(c, chain.back(), at_offset(shape, increment)));
    AtenTensorHandle view = chain.back().get();
    HAVE_WANT_AS(fmt::format("offset of a view at +{}", increment), get_storage_offset(c, view),
                 want);
    if (numel(shape.sizes) == 0) continue;
    HAVE_WANT_AS(fmt::format("element behind the data pointer of a view at +{}", increment),
                 load(get_data_ptr(c, view), 0, type), static_cast<uint64_t>(want));
  }
}

/// Increments and their sum beyond 32 bits, over memory that is mapped without access. A view lies
/// where its data pointer says; one that is wrong there and right in what it reports, or the other
/// way round, has a getter that is wrong, which is another clause's matter.
void offsets_add_up_far(Case& c, const DType& type) {
  const Reserved memory(c, int64_t{100} << 30);
  const Dims increments = {1'000'001, (int64_t{1} << 31) + 5, int64_t{1} << 32, 3,
                           int64_t{1} << 32};
  const int64_t count = int64_t{12} << 30;
  std::vector<Tensor> chain;
  chain.push_back(from_blob(c, memory.data(), place({count}, {1}), type));
  int64_t want = 0;
  for (const int64_t increment : increments) {
    want += increment;
    chain.push_back(view_of(c, chain.back(), place({2}, {1}, increment)));
    AtenTensorHandle view = chain.back().get();
    const int64_t reported = get_storage_offset(c, view);
    const int64_t pointed = (get_data_ptr(c, view) - memory.data()) / type.size;
    HAVE_WANT_AS(fmt::format("offset of a view at +{}", increment),
                 pointed == want ? pointed : reported, want);
  }
}

// ---------------------------------------------------------------------------------- VIEW.outlives

/// Which handle each view is made of: parents[i] is that of handle i + 1, handle 0 the source.
struct Family {
  const char* name;
  std::vector<size_t> parents;
};

const std::vector<Family>& families() {
  static const std::vector<Family> all{{"pair", {0}},           {"chain_of_3", {0, 1}},
                                       {"fan_of_3", {0, 0}},    {"chain_of_4", {0, 1, 2}},
                                       {"fan_of_4", {0, 0, 0}}, {"tree_of_4", {0, 0, 1}},
                                       {"fork_of_4", {0, 1, 1}}};
  return all;
}

/// All orders in which the handles of a family can be deleted.
std::vector<std::vector<size_t>> orders(const Family& family) {
  std::vector<size_t> order(family.parents.size() + 1);
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<std::vector<size_t>> all;
  do {
    all.push_back(order);
  } while (std::next_permutation(order.begin(), order.end()));
  return all;
}

std::vector<Tensor> family_of(Case& c, const Family& family, int64_t count) {
  std::vector<Tensor> members;
  members.push_back(filled(c, count, 1.0F));
  for (const size_t parent : family.parents) {
    members.push_back(view_of(c, members[parent], place({count}, {1})));
  }
  return members;
}

/// Deletes the members in the given order and looks through the ones left after each step, while
/// fresh tensors of the same size overwrite whatever was freed. A small storage comes back from
/// the allocator's lists, a large one goes back to the system and faults when touched.
void outlive(Case& c, const Family& family, const std::vector<size_t>& order, int64_t count) {
  std::vector<Tensor> members = family_of(c, family, count);
  std::vector<Tensor> overwriting;
  for (const size_t gone : order) {
    members[gone].reset();
    for (int k = 0; k < 2; ++k) overwriting.push_back(filled(c, count, 2.0F));
    for (size_t left = 0; left < members.size(); ++left) {
      if (members[left].get() == nullptr) continue;
      const std::vector<float> have = floats_of(c, members[left], count);
      HAVE_WANT_AS(fmt::format("elements intact in handle {} after {} was deleted", left, gone),
                   int64_t{std::count(have.begin(), have.end(), 1.0F)}, count);
    }
  }
}

/// The kind of storage that freed_at_the_end() builds. It is larger than what the C library serves
/// from its heap, so that freeing it gives its pages back at once and no fragmentation is mistaken
/// for a leak; and only the start of it is written to, which keeps it cheap.
constexpr int64_t kMib = 1 << 20;
constexpr int64_t kLarge = 40 * kMib;
constexpr int64_t kTouched = 2 * kMib;

std::vector<Tensor> touched_family(Case& c, const Family& family) {
  constexpr int64_t page = 4096;
  const Geometry where = place({kLarge / float32().size}, {1});
  std::vector<Tensor> members;
  members.push_back(empty(c, where, float32()));
  std::byte* const data = get_data_ptr(c, members[0].get());
  for (int64_t at = 0; at < kTouched; at += page) data[at] = std::byte{1};
  for (const size_t parent : family.parents) {
    members.push_back(view_of(c, members[parent], where));
  }
  return members;
}

/// Builds and deletes a family over large storages again and again, in every order of deletion.
void freed_at_the_end(Case& c, const Family& family) {
  constexpr int64_t limit = 24 * kMib;
  const std::vector<std::vector<size_t>> all = orders(family);
  const size_t rounds = std::max(all.size(), static_cast<size_t>(2 * limit / kTouched));
  size_t round = 0;
  want_no_growth(c, fmt::format("a storage and its views, {} MiB in use", kTouched / kMib),
                 static_cast<int>(rounds), limit, [&] {
                   std::vector<Tensor> members = touched_family(c, family);
                   for (const size_t gone : all[round % all.size()]) members[gone].reset();
                   ++round;
                 });
}

/// The handles of views alone, over memory that is nobody's to free.
void handles_freed(Case& c) {
  const Numbered memory(float32(), 16);
  const Tensor source = memory.borrow(c);
  want_no_growth(c, "a view", 60'000, kMib, [&] { view_of(c, source, place({2, 2}, {4, 1}, 1)); });
}

void outlive_in_a_long_chain(Case& c) {
  Tensor last = filled(c, 64, 1.0F);
  for (int depth = 0; depth < 100; ++depth) {
    last = view_of(c, last, place({64}, {1}));
    const Tensor overwriting = filled(c, 64, 2.0F);
    HAVE_WANT_AS("the storage through the only handle left", floats_of(c, last, 64),
                 std::vector<float>(64, 1.0F));
  }
}

void outlive_without_elements(Case& c) {
  Tensor source = filled(c, 64, 1.0F);
  const Tensor nothing = view_of(c, source, place({0}, {1}));
  source.reset();
  const Tensor overwriting = filled(c, 64, 2.0F);
  const Tensor again = view_of(c, nothing, place({64}, {1}));
  HAVE_WANT_AS("the storage through a view of a view without elements", floats_of(c, again, 64),
               std::vector<float>(64, 1.0F));
}

void leave_borrowed_memory_alone(Case& c, const Family& family) {
  const Numbered memory(float32(), 64);
  const std::vector<uint8_t> before = memory.bytes();
  for (const std::vector<size_t>& order : orders(family)) {
    std::vector<Tensor> members;
    members.push_back(memory.borrow(c));
    for (const size_t parent : family.parents) {
      members.push_back(view_of(c, members[parent], place({64}, {1})));
    }
    for (const size_t gone : order) members[gone].reset();
    HAVE_WANT_AS("memory after every handle was deleted", memory.bytes(), before);
  }
}

// -------------------------------------------------------------------------- VIEW.source-unchanged

/// All that a handle says of itself. Compared with what the same handle said before a view of it
/// was made: the clause is about the change, the values are judged by others.
struct Attributes {
  Dims sizes;
  Dims strides;
  int64_t offset;
  int64_t numel;
  int64_t storage;
  int32_t dtype;
  int32_t device_type;
  int32_t device_index;
  const std::byte* data;
};

Attributes attributes_of(Case& c, const Tensor& tensor) {
  AtenTensorHandle handle = tensor.get();
  const int64_t ndim = get_dim(c, handle);
  return {get_sizes(c, handle, ndim), get_strides(c, handle, ndim), get_storage_offset(c, handle),
          get_numel(c, handle),       get_storage_size(c, handle),  get_dtype(c, handle),
          get_device_type(c, handle), get_device_index(c, handle),  get_data_ptr(c, handle)};
}

void same_attributes(Case& c, const Tensor& source, const Attributes& want) {
  const Attributes have = attributes_of(c, source);
  HAVE_WANT_AS("sizes of the source", have.sizes, want.sizes);
  HAVE_WANT_AS("strides of the source", have.strides, want.strides);
  HAVE_WANT_AS("offset of the source", have.offset, want.offset);
  HAVE_WANT_AS("numel of the source", have.numel, want.numel);
  HAVE_WANT_AS("storage size of the source", have.storage, want.storage);
  HAVE_WANT_AS("dtype of the source", have.dtype, want.dtype);
  HAVE_WANT_AS("device type of the source", have.device_type, want.device_type);
  HAVE_WANT_AS("device index of the source", have.device_index, want.device_index);
  HAVE_WANT_AS("data pointer of the source", have.data, want.data);
}

std::vector<Geometry> views_of_24_elements() {
  return {place({4, 3, 2}, {1, 5, 20}),
          place({2, 3, 4}, {20, 5, 1}),
          place({3}, {1}, 1),
          place({}, {}, 3),
          place({2, 2, 2}, {0, 0, 0}),
          place({1, 1, 1}, {7, 8, 9}),
          place({0}, {1}),
          place({2, 3, 0}, {20, 5, 1}, 1),
          place({2, 2, 2, 2}, {8, 4, 2, 1})};
}

/// Neither a view nor its deletion may change a {2, 3, 4} source at offset 2.
void source_stays(Case& c, const DType& type) {
  const Numbered memory(type, 128);
  const std::vector<uint8_t> bytes = memory.bytes();
  const Tensor source = memory.borrow(c, place({2, 3, 4}, {20, 5, 1}, 2));
  const Attributes before = attributes_of(c, source);
  for (const Geometry& where : views_of_24_elements()) {
    Tensor view = view_of(c, source, where);
    same_attributes(c, source, before);
    view.reset();
    same_attributes(c, source, before);
    HAVE_WANT_AS("memory of the source", memory.bytes(), bytes);
  }
}

void owned_source_stays(Case& c) {
  const Tensor source = filled(c, 64, 1.0F);
  const Attributes before = attributes_of(c, source);
  for (const Geometry& where : views_of_24_elements()) {
    const Tensor view = view_of(c, source, where);
    same_attributes(c, source, before);
    HAVE_WANT_AS("memory of the source", floats_of(c, source, 64), std::vector<float>(64, 1.0F));
  }
}

void viewed_view_stays(Case& c) {
  const Numbered memory(float32(), 64);
  const Tensor source = memory.borrow(c, place({4, 4}, {4, 1}));
  const Tensor view = view_of(c, source, place({4, 4}, {1, 4}));
  const Attributes before = attributes_of(c, view);
  const Tensor flat = view_of(c, view, place({16}, {1}));
  const Tensor back = view_of(c, view, place({4, 4}, {4, 1}));
  same_attributes(c, view, before);
}

void source_of_a_refused_view_stays(Case& c) {
  const Numbered memory(float32(), 64);
  const Tensor source = memory.borrow(c, place({4, 4}, {4, 1}));
  const Attributes before = attributes_of(c, source);
  AtenTensorHandle view = nullptr;
  try_view(c, source, place({4, -4}, {1, 4}, 3), &view);
  same_attributes(c, source, before);
}

// ----------------------------------------------------------------------------- VIEW.exact-pointer

/// Views at increments 0 to 40 of memory that starts `shift` bytes off a 64-byte boundary.
void pointers_are_exact(Case& c, const DType& type, int64_t shift) {
  const Numbered memory(type, 64, shift);
  const Tensor source = memory.borrow(c);
  for (int64_t offset = 0; offset <= 40; ++offset) {
    for (const Geometry& where : {place({2, 2}, {2, 1}, offset), place({}, {}, offset),
                                  place({3}, {0}, offset), place({3}, {5}, offset)}) {
      const Tensor view = view_of(c, source, where);
      HAVE_WANT_AS(
          fmt::format("data pointer of a view of sizes {} at {}", show(where.sizes), offset),
          get_data_ptr(c, view.get()), memory.at(offset));
    }
  }
}

// ------------------------------------------------------------------------------------ VIEW.bounds

/// A view to ask for, of a float32 source of `count` elements at offset `start`: its storage ends
/// at element start + count.
struct Ask {
  const char* name;
  Dims sizes;
  Dims strides;
  int64_t offset;
  int64_t count = 16;
  int64_t start = 0;
  const char* type = "float32";

  Geometry where() const { return place(sizes, strides, offset); }
};

const std::string kGranted = "a view";
const std::string kRefused = "an error code";

std::string outcome(AOTITorchError error) { return error == 0 ? kGranted : kRefused; }

std::string text_of(const Ask& ask) {
  return fmt::format(
      "a view of sizes {} strides {} at {:+}, of a {} source at {} whose "
      "storage ends at {}",
      show(ask.sizes), show(ask.strides), ask.offset, ask.type, ask.start, ask.start + ask.count);
}

/// True where the view that a runtime made in answer to `ask` lies at the increment alone, as if it
/// were absolute, and there inside the storage. VIEW.offset-adds is what such a runtime fails.
bool made_inside(Case& c, const Ask& ask, AtenTensorHandle view) {
  return view != nullptr && ask.start != 0 && get_storage_offset(c, view) == ask.offset &&
         extent(ask.where()) <= ask.start + ask.count - ask.offset;
}

void want_refused(Case& c, const Ask& ask) {
  const Numbered memory(dtype(ask.type), ask.start + ask.count);
  const Tensor source = memory.borrow(c, place({ask.count}, {1}, ask.start));
  AtenTensorHandle view = nullptr;
  const AOTITorchError error = try_view(c, source, ask.where(), &view);
  const bool inside = error == 0 && made_inside(c, ask, view);
  HAVE_WANT_AS(text_of(ask), inside ? kRefused : outcome(error), kRefused);
}

void want_granted(Case& c, const Ask& ask) {
  const Numbered memory(dtype(ask.type), ask.start + ask.count);
  const Tensor source = memory.borrow(c, place({ask.count}, {1}, ask.start));
  AtenTensorHandle view = nullptr;
  HAVE_WANT_AS(text_of(ask), outcome(try_view(c, source, ask.where(), &view)), kGranted);
}

const Ask kInside[] = {
    {"all_of_it", {16}, {1}, 0},
    {"last_element", {1}, {1}, 15},
    {"last_element_rank0", {}, {}, 15},
    {"last_of_8_int64", {1}, {1}, 7, 8, 0, "int64"},
    {"square", {4, 4}, {4, 1}, 0},
    {"gapped_up_to_the_end", {2, 6}, {10, 1}, 0},
    {"last_index_99_of_100", {2, 5}, {50, 10}, 9, 100},
    {"expanded", {1 << 20, 16}, {0, 1}, 0},
    {"size1_with_a_huge_stride", {1, 16}, {kMax, 1}, 0},
    {"all_dimensions_of_3_count", {3, 2, 2}, {6, 2, 1}, 0},
    {"after_the_source_offset", {12}, {1}, 4, 16, 4},
};

const Ask kOutside[] = {
    {"one_past_the_end", {1}, {1}, 16},
    {"one_past_the_end_rank0", {}, {}, 16},
    {"one_past_8_int64", {1}, {1}, 8, 8, 0, "int64"},
    {"one_element_too_many", {17}, {1}, 0},
    {"square_moved_by_one", {4, 4}, {4, 1}, 1},
    {"gapped_past_the_end", {2, 7}, {10, 1}, 0},
    {"index_212_of_100", {5, 2}, {50, 10}, 2, 100},
    {"inner_stride_too_large", {2, 2}, {1, 15}, 0},
    {"outermost_of_3", {3, 2, 2}, {7, 2, 1}, 0},
    {"middle_of_3", {2, 3, 2}, {1, 8, 1}, 0},
    {"outermost_of_4", {2, 2, 2, 2}, {12, 2, 1, 1}, 0},
    {"outermost_of_5", {17, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, 0},
    {"outermost_of_8", {2, 2, 1, 1, 1, 1, 1, 2}, {8, 8, 1, 1, 1, 1, 1, 1}, 0},
    {"source_offset_counts", {8}, {1}, 9, 16, 4},
    {"source_offset_counts_by_one", {1}, {1}, 16, 16, 4},
    {"far_offset", {1}, {1}, 1 << 20},
    {"huge_size", {int64_t{1} << 40}, {1}, 0},
    {"huge_stride", {2}, {int64_t{1} << 40}, 0},
};

// Products or sums that leave 64 bits, most of them so that they wrap to something small.
const Ask kOverflowing[] = {
    {"offset_max", {1}, {1}, kMax},
    {"offset_max_of_a_source_at_4", {1}, {1}, kMax, 16, 4},
    {"offset_in_bytes_wraps_to_0", {1}, {1}, int64_t{1} << 62},
    {"offset_in_bytes_wraps_to_0_int64", {1}, {1}, int64_t{1} << 61, 16, 0, "int64"},
    {"offset_in_bytes_wraps_to_4", {1}, {1}, (int64_t{1} << 62) + 1},
    {"offset_0_in_32_bits", {1}, {1}, int64_t{1} << 32},
    {"end_wraps", {2}, {1}, kMax},
    {"size_max", {kMax}, {1}, 0},
    {"size_in_bytes_wraps_to_0", {int64_t{1} << 62}, {1}, 0},
    {"size_1_in_32_bits", {(int64_t{1} << 32) + 1}, {1}, 0},
    {"stride_max", {2}, {kMax}, 0},
    {"stride_in_bytes_wraps_to_0", {2}, {int64_t{1} << 62}, 0},
    {"size_times_stride_wraps_to_0", {5}, {int64_t{1} << 62}, 0},
    {"stride_0_in_32_bits", {2}, {int64_t{1} << 32}, 0},
    {"sum_of_strides_wraps_to_minus_2", {2, 2}, {kMax, kMax}, 0},
    {"sum_of_strides_wraps_to_0", {3, 2, 2}, {kMax, 1, 1}, 0},
    {"numel_wraps_to_0", {int64_t{1} << 32, int64_t{1} << 32}, {int64_t{1} << 32, 1}, 0},
    {"numel_of_an_expanded_view_wraps_to_0", {int64_t{1} << 32, int64_t{1} << 32}, {0, 0}, 0},
};

// Without elements a view reaches nothing, wherever it is said to lie.
const Ask kEmpty[] = {
    {"at_the_start", {0}, {1}, 0},
    {"at_the_end", {0}, {1}, 16},
    {"behind_the_end", {0}, {1}, 17},
    {"far_behind_the_end", {0}, {1}, 1 << 20},
    {"large_other_size", {0, int64_t{1} << 40}, {1, 1}, 0},
    {"large_stride", {0, 2}, {1, int64_t{1} << 40}, 0},
};

void storage_bounds_not_the_source(Case& c) {
  const Numbered memory(float32(), 16);
  const Tensor source = memory.borrow(c);
  const Tensor narrow = view_of(c, source, place({2}, {1}));
  AtenTensorHandle view = nullptr;
  HAVE_WANT_AS("all 16 elements of the storage, through a view of 2",
               outcome(try_view(c, narrow, place({16}, {1}), &view)), kGranted);
  HAVE_WANT_AS("17 elements", outcome(try_view(c, narrow, place({17}, {1}), &view)), kRefused);
}

void view_of_an_empty_storage(Case& c, const Geometry& where, const std::string& want) {
  const Numbered memory(float32(), 1);
  const Tensor source = memory.borrow(c, place({0}, {1}));
  AtenTensorHandle view = nullptr;
  HAVE_WANT_AS(fmt::format("a view of sizes {} of an empty storage", show(where.sizes)),
               outcome(try_view(c, source, where, &view)), want);
}

void owned_storage_bounds(Case& c) {
  const Tensor source = filled(c, 16, 0.0F);
  AtenTensorHandle view = nullptr;
  HAVE_WANT_AS("all 16 elements", outcome(try_view(c, source, place({4, 4}, {1, 4}), &view)),
               kGranted);
  HAVE_WANT_AS("the same one element further",
               outcome(try_view(c, source, place({4, 4}, {1, 4}, 1), &view)), kRefused);
}

// ---------------------------------------------------------------------------------- VIEW.negative

const Ask kNegative[] = {
    {"offset_minus_1", {1}, {1}, -1},
    {"offset_minus_1_rank0", {}, {}, -1},
    {"offset_below_the_start_by_1", {1}, {1}, -5, 16, 4},
    {"offset_min", {1}, {1}, kMin},
    {"offset_in_bytes_wraps_to_0", {1}, {1}, -(int64_t{1} << 62)},
    {"size_minus_1", {-1}, {1}, 0},
    {"size_min", {kMin}, {1}, 0},
    {"second_size", {2, -3}, {3, 1}, 0},
    {"two_sizes_with_a_positive_product", {-2, -3}, {3, 1}, 0},
    {"size_beside_a_0", {0, -1}, {1, 1}, 0},
    {"size_of_an_expanded_dimension", {2, -2}, {1, 0}, 0},
    {"stride_minus_1", {2}, {-1}, 0},
    {"stride_minus_1_that_stays_inside", {2}, {-1}, 1},
    {"outer_stride", {2, 3}, {-1, 1}, 4},
    {"inner_stride", {2, 3}, {3, -1}, 4},
    {"stride_min", {2}, {kMin}, 0},
    {"all_strides", {2, 2}, {-2, -1}, 8},
};

void want_no_negative(Case& c, const Ask& ask) {
  const Numbered memory(dtype(ask.type), ask.start + ask.count);
  const Tensor source = memory.borrow(c, place({ask.count}, {1}, ask.start));
  AtenTensorHandle view = nullptr;
  HAVE_WANT_AS(text_of(ask), outcome(try_view(c, source, ask.where(), &view)), kRefused);
}

}  // namespace

CLAUSE_CASES(VIEW, shares) {
  for (const DType& type : core_dtypes) {
    cases.add(fmt::format("writes_{}", type.name),
              [&type](Case& c) { write_through_either(c, type); });
    cases.add(fmt::format("attributes_{}", type.name),
              [&type](Case& c) { keep_dtype_and_device(c, type); });
    cases.add(fmt::format("storage_size_{}", type.name),
              [&type](Case& c) { share_the_storage_size(c, type); });
  }
  cases.add("owned_storage", share_owned_storage);
  cases.add("siblings", share_between_siblings);
  cases.add("chain_of_views", share_along_a_chain);
  cases.add("copy_into_view", copy_into_view);
}

CLAUSE_CASES(VIEW, geometry) {
  for (const Geometry& where : geometries()) {
    cases.add(where.name,
              [&where](Case& c) { geometry_is_as_given(c, roomy(c, float32()), where); });
  }
  for (const Geometry& where : odd_geometries()) {
    cases.add(where.name,
              [where](Case& c) { geometry_is_as_given(c, roomy(c, float32()), where); });
  }
  for (const DType& type : core_dtypes) {
    cases.add(fmt::format("all_{}", type.name), [&type](Case& c) {
      const Tensor source = roomy(c, type);
      for (const Geometry& where : geometries()) geometry_is_as_given(c, source, where);
    });
  }
  cases.add("beyond_32_bits", geometry_beyond_32_bits);
  cases.add("through_every_rank", geometry_through_every_rank);
  cases.add("two_views_differ", two_views_differ);
  cases.add("wider_than_its_source", [](Case& c) {
    const Tensor source = roomy(c, float32());
    const Tensor narrow = view_of(c, source, place({4}, {1}));
    geometry_is_as_given(c, narrow, place({16, 16}, {100, 2}));
  });
}

CLAUSE_CASES(VIEW, offset_adds) {
  for (const DType& type : core_dtypes) {
    cases.add(fmt::format("view_at_2_of_a_source_at_3_{}", type.name),
              [&type](Case& c) { offsets_add_up(c, type, 3, {2}); });
    cases.add(fmt::format("view_at_8_of_a_view_at_4_{}", type.name), [&type](Case& c) {
      offsets_add_up(c, type, 0, {4, 8});
    });
    cases.add(fmt::format("chain_{}", type.name), [&type](Case& c) {
      offsets_add_up(c, type, 1, {1, 0, 2, 0, 0, 3, 5, 8, 13, 21, 34});
    });
  }
  cases.add("view_at_0_keeps_the_offset", [](Case& c) {
    offsets_add_up(c, float32(), 16, {0, 0});
  });
  cases.add("rank0", [](Case& c) { offsets_add_up(c, float32(), 4, {3, 5}, place({}, {})); });
  for (const DType& type : core_dtypes) {
    cases.add(fmt::format("far_{}", type.name), [&type](Case& c) { offsets_add_up_far(c, type); });
  }
  cases.add("no_elements", [](Case& c) {
    offsets_add_up(c, float32(), 4, {3, 5}, place({2, 0}, {4, 1}));
  });
  cases.add("siblings", [](Case& c) {
    const Numbered memory(float32(), 64);
    const Tensor source = memory.borrow(c, place({16}, {1}, 4));
    const Tensor first = view_of(c, source, place({2}, {1}, 1));
    const Tensor second = view_of(c, source, place({2}, {1}, 10));
    HAVE_WANT_AS("offset of a view at +1", get_storage_offset(c, first.get()), int64_t{5});
    HAVE_WANT_AS("offset of a view at +10", get_storage_offset(c, second.get()), int64_t{14});
  });
}

CLAUSE_CASES(VIEW, outlives) {
  for (const Family& family : families()) {
    for (const std::vector<size_t>& order : orders(family)) {
      std::string name = fmt::format("{}_order_", family.name);
      for (const size_t member : order) name += std::to_string(member);
      cases.add(name, [&family, order](Case& c) {
        outlive(c, family, order, 64);
        outlive(c, family, order, 65536);
      });
    }
    cases.add(fmt::format("{}_freed", family.name),
              [&family](Case& c) { freed_at_the_end(c, family); });
    cases.add(fmt::format("{}_of_borrowed_memory", family.name),
              [&family](Case& c) { leave_borrowed_memory_alone(c, family); });
  }
  cases.add("long_chain", outlive_in_a_long_chain);
  cases.add("no_elements", outlive_without_elements);
  cases.add("handles_freed", handles_freed);
  cases.add("many", [](Case& c) { many_share(c, deriver("reinterpret")); });
}

CLAUSE_CASES(VIEW, source_unchanged) {
  for (const DType& type : core_dtypes) {
    cases.add(type.name, [&type](Case& c) { source_stays(c, type); });
  }
  cases.add("owned_storage", owned_source_stays);
  cases.add("view_of_a_view", viewed_view_stays);
  cases.add("refused_view", source_of_a_refused_view_stays);
}

CLAUSE_CASES(VIEW, exact_pointer) {
  for (const DType& type : core_dtypes) {
    for (int64_t shift = 0; shift <= type.size; ++shift) {
      cases.add(fmt::format("{}_shifted_by_{}", type.name, shift),
                [&type, shift](Case& c) { pointers_are_exact(c, type, shift); });
    }
  }
}

CLAUSE_CASES(VIEW, bounds) {
  for (const Ask& ask : kInside) {
    cases.add(fmt::format("inside_{}", ask.name), [&ask](Case& c) { want_granted(c, ask); });
  }
  for (const Ask& ask : kEmpty) {
    cases.add(fmt::format("empty_{}", ask.name), [&ask](Case& c) { want_granted(c, ask); });
  }
  for (const Ask& ask : kOutside) {
    cases.add(fmt::format("outside_{}", ask.name), [&ask](Case& c) { want_refused(c, ask); });
  }
  for (const Ask& ask : kOverflowing) {
    cases.add(fmt::format("overflow_{}", ask.name), [&ask](Case& c) { want_refused(c, ask); });
  }
  for (const DType& type : core_dtypes) {
    const Ask fits{"", {3, 4}, {4, 1}, 4, 16, 0, type.name};
    const Ask one_too_far{"", {3, 4}, {4, 1}, 5, 16, 0, type.name};
    cases.add(fmt::format("inside_{}", type.name), [fits](Case& c) { want_granted(c, fits); });
    cases.add(fmt::format("outside_{}", type.name),
              [one_too_far](Case& c) { want_refused(c, one_too_far); });
  }
  cases.add("storage_not_source", storage_bounds_not_the_source);
  cases.add("owned_storage", owned_storage_bounds);
  cases.add("empty_storage_no_elements", [](Case& c) {
    view_of_an_empty_storage(c, place({0, 3}, {3, 1}), kGranted);
  });
  cases.add("empty_storage_one_element",
            [](Case& c) { view_of_an_empty_storage(c, place({1}, {1}), kRefused); });
}

CLAUSE_CASES(VIEW, negative) {
  for (const Ask& ask : kNegative) {
    cases.add(ask.name, [&ask](Case& c) { want_no_negative(c, ask); });
  }
}

}  // namespace aoti_cts::suite
