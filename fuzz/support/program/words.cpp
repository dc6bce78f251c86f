// See words.h. Each change is a small function in one table with a weight; a change that finds
// nothing to work on makes what it needs, so that every one of them reaches every program.
#include "support/program/words.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "support/program/valid.h"

namespace aoti_cts::fuzz {
namespace {

// Lists stay short: what a long one does, its length on the wire does too.
constexpr size_t most_elements = 24;

template <class T>
T pick(Random& random, std::initializer_list<T> from) {
  return from.begin()[random.below(from.size())];
}

/// A number near a limit of its type, near what stands there, or any.
template <class T>
T number(Random& random, T now) {
  using limits = std::numeric_limits<T>;
  switch (random.below(8)) {
    case 0:
      return 0;
    case 1:
      return static_cast<T>(static_cast<uint64_t>(now) + 1);
    case 2:
      return static_cast<T>(static_cast<uint64_t>(now) - 1);
    case 3:
      return static_cast<T>(limits::max() - static_cast<T>(random.below(2)));
    case 4:
      return static_cast<T>(limits::min() + static_cast<T>(random.below(2)));
    case 5:
      return static_cast<T>(random.below(33));
    case 6:
      return static_cast<T>(uint64_t{1} << random.below(8 * sizeof(T)));
    default:
      return static_cast<T>(random.next());
  }
}

template <class T>
void edit(std::vector<T>& list, Random& random) {
  const size_t choice = random.below(4);
  if (list.empty() || (choice == 0 && list.size() < most_elements)) {
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(random.below(list.size() + 1)),
                static_cast<T>(random.below(4)));
  } else if (choice == 1) {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(random.below(list.size())));
  } else if (choice == 2) {
    std::swap(list[random.below(list.size())], list[random.below(list.size())]);
  } else {
    T& element = list[random.below(list.size())];
    element = number<T>(random, element);
  }
}

int8_t some_device_type(Random& random) {
  if (random.one_in(4)) return static_cast<int8_t>(random.next());
  return pick<int8_t>(random, {0, 0, 1, 1, 1, 2, 7, -1});
}

int8_t some_device_index(Random& random) {
  if (random.one_in(4)) return static_cast<int8_t>(random.next());
  return pick<int8_t>(random, {0, 0, 1, 2, 3, 5, 64, 126, 127, -1, -1, -2, -128});
}

/// What a change works on: one method, one tensor of it.
struct Site {
  Objects& objects;
  wire::ExecutionPlanT& plan;
  wire::TensorT& tensor;
  Random& random;

  wire::ExtraTensorInfoT& extra() const {
    if (!tensor.extra_tensor_info) {
      tensor.extra_tensor_info = std::make_unique<wire::ExtraTensorInfoT>();
    }
    return *tensor.extra_tensor_info;
  }
  wire::AllocationDetailsT& allocation() const {
    if (!tensor.allocation_info) {
      tensor.allocation_info = std::make_unique<wire::AllocationDetailsT>();
      tensor.allocation_info->memory_id = 1;
    }
    return *tensor.allocation_info;
  }
  /// The size of the tensor's buffer; made if there is none.
  int64_t& buffer_bytes() const {
    const size_t id = std::clamp<size_t>(allocation().memory_id, 1, most_elements);
    allocation().memory_id = static_cast<uint32_t>(id);
    if (plan.non_const_buffer_sizes.size() <= id) plan.non_const_buffer_sizes.resize(id + 1, 64);
    return plan.non_const_buffer_sizes[id];
  }
  wire::NonConstBufferDeviceT& entry() const {
    auto& list = plan.non_const_buffer_device;
    if (list.empty() || (random.one_in(4) && list.size() < most_elements)) {
      list.push_back(std::make_unique<wire::NonConstBufferDeviceT>());
      list.back()->buffer_idx = 1;
    }
    return *list[random.below(list.size())];
  }
  wire::SubsegmentOffsetsT& offsets() const {
    auto& program = *objects.program;
    if (random.one_in(2)) {
      if (!program.constant_segment) {
        program.constant_segment = std::make_unique<wire::SubsegmentOffsetsT>();
      }
      return *program.constant_segment;
    }
    auto& list = program.mutable_data_segments;
    if (list.empty()) list.push_back(std::make_unique<wire::SubsegmentOffsetsT>());
    return *list[random.below(list.size())];
  }
};

using Change = void (*)(const Site&);

void device_type(const Site& s) {
  s.extra().device_type = static_cast<wire::DeviceType>(some_device_type(s.random));
}
void device_index(const Site& s) { s.extra().device_index = some_device_index(s.random); }
void cuda(const Site& s) {
  s.extra().device_type = wire::DeviceType_CUDA;
  s.extra().device_index = some_device_index(s.random);
}
void toggle_extra(const Site& s) {
  if (s.tensor.extra_tensor_info) {
    s.tensor.extra_tensor_info.reset();
  } else {
    s.extra();
  }
}
void buffer_type(const Site& s) {
  s.entry().device_type = static_cast<wire::DeviceType>(some_device_type(s.random));
}
void buffer_index(const Site& s) { s.entry().device_index = some_device_index(s.random); }
void buffer_named(const Site& s) {
  auto& entry = s.entry();
  entry.buffer_idx = s.random.one_in(2) ? static_cast<int32_t>(s.random.below(4))
                                        : number(s.random, entry.buffer_idx);
}
void drop_buffer_device(const Site& s) {
  auto& list = s.plan.non_const_buffer_device;
  if (!list.empty())
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(s.random.below(list.size())));
}
/// Tensor and buffer come to the same device.
void agree(const Site& s) {
  s.buffer_bytes();
  const auto id = static_cast<int32_t>(s.allocation().memory_id);
  const auto& extra = s.extra();
  wire::NonConstBufferDeviceT* found = nullptr;
  for (auto& entry : s.plan.non_const_buffer_device) {
    if (entry->buffer_idx == id) found = entry.get();
  }
  if (found == nullptr) {
    if (s.plan.non_const_buffer_device.size() >= most_elements) return;
    s.plan.non_const_buffer_device.push_back(std::make_unique<wire::NonConstBufferDeviceT>());
    found = s.plan.non_const_buffer_device.back().get();
  }
  found->buffer_idx = id;
  found->device_type = extra.device_type;
  found->device_index = extra.device_index;
}
void number_dims(wire::TensorT& tensor) {
  tensor.dim_order.resize(tensor.sizes.size());
  std::iota(tensor.dim_order.begin(), tensor.dim_order.end(), uint8_t{0});
}
void sizes(const Site& s) {
  edit(s.tensor.sizes, s.random);
  if (s.random.one_in(4)) return;
  number_dims(s.tensor);
}
/// Products and strides at the limits of 32 and 64 bits.
void large_sizes(const Site& s) {
  if (s.random.one_in(2)) s.tensor.sizes.resize(2 + s.random.below(3), 2);
  for (int32_t& dim : s.tensor.sizes) {
    if (!s.random.one_in(3)) {
      dim = pick<int32_t>(s.random, {46341, 65536, 65536, 1 << 21, 1 << 30, INT32_MAX});
    }
  }
  if (!s.random.one_in(4)) s.tensor.allocation_info.reset();
  number_dims(s.tensor);
}
/// The rank that is the limit, its neighbours, or none.
void rank(const Site& s) {
  s.tensor.sizes.assign(pick<size_t>(s.random, {0, 1, 15, 16, 16, 17}), 1);
  number_dims(s.tensor);
}
void dim_order(const Site& s) { edit(s.tensor.dim_order, s.random); }
/// Another valid order, of sizes that tell it from the first.
void permuted(const Site& s) {
  if (s.tensor.sizes.size() < 2 || s.tensor.sizes.size() > 16) s.tensor.sizes.resize(3);
  for (int32_t& size : s.tensor.sizes) size = 2 + static_cast<int32_t>(s.random.below(2));
  number_dims(s.tensor);
  auto& order = s.tensor.dim_order;
  std::swap(order[s.random.below(order.size())], order[s.random.below(order.size())]);
}
void scalar_type(const Site& s) {
  int8_t type = static_cast<int8_t>(s.random.next());
  if (s.random.one_in(4)) {
    type = pick<int8_t>(s.random, {30, 31, 32, 64, 100, 126, 127, -1, -2, -128});
  } else if (!s.random.one_in(3)) {
    type = static_cast<int8_t>(s.random.below(30));
  }
  s.tensor.scalar_type = static_cast<wire::ScalarType>(type);
}
/// A device of its own for a tensor, often of another type, in a buffer of its own.
void planned_on_device(const Site& s) {
  s.extra().device_type = static_cast<wire::DeviceType>(s.random.below(2));
  s.extra().device_index = some_device_index(s.random);
  if (s.random.one_in(3)) s.tensor.scalar_type = static_cast<wire::ScalarType>(s.random.below(30));
  agree(s);
}
/// A further buffer for the tensor alone, which it fits, on the tensor's device.
void buffer_of_its_own(const Site& s) {
  auto& sizes = s.plan.non_const_buffer_sizes;
  if (sizes.size() >= most_elements) return;
  sizes.resize(std::max<size_t>(sizes.size(), 1) + 1);
  s.allocation() = {};
  s.allocation().memory_id = static_cast<uint32_t>(sizes.size() - 1);
  uint64_t bytes = item_bytes(static_cast<int8_t>(s.tensor.scalar_type));
  for (const int32_t dim : s.tensor.sizes) bytes *= static_cast<uint32_t>(dim);
  sizes.back() = static_cast<int64_t>(bytes);
  agree(s);
}
void dynamism(const Site& s) {
  const int8_t any = static_cast<int8_t>(s.random.next());
  s.tensor.shape_dynamism = static_cast<wire::TensorShapeDynamism>(
      pick<int8_t>(s.random, {0, 1, 1, 2, 2, 3, 7, -1, any}));
}
void storage_offset(const Site& s) {
  s.tensor.storage_offset = number(s.random, s.tensor.storage_offset);
}
void ignored(const Site& s) {
  s.tensor.layout = static_cast<int8_t>(s.random.next());
  s.tensor.requires_grad = s.random.one_in(2);
}
void toggle_allocation(const Site& s) {
  if (s.tensor.allocation_info) {
    s.tensor.allocation_info.reset();
  } else {
    s.allocation();
  }
}
void memory_id(const Site& s) {
  auto& id = s.allocation().memory_id;
  id = s.random.one_in(2) ? static_cast<uint32_t>(s.random.below(4)) : number(s.random, id);
}
void memory_offset(const Site& s) {
  auto& allocation = s.allocation();
  auto& half = s.random.one_in(4) ? allocation.memory_offset_high : allocation.memory_offset_low;
  half = s.random.one_in(2) ? static_cast<uint32_t>(s.random.below(33)) : number(s.random, half);
}
void buffer_size(const Site& s) {
  if (s.random.one_in(4)) return edit(s.plan.non_const_buffer_sizes, s.random);
  int64_t& bytes = s.buffer_bytes();
  bytes = number(s.random, bytes);
}
/// A buffer that the tensor just fits, or a byte off.
void buffer_fits(const Site& s) {
  int64_t bytes = 1;
  for (int32_t& dim : s.tensor.sizes) {
    dim = static_cast<int32_t>(s.random.below(4));
    bytes *= dim;
  }
  bytes *= item_bytes(static_cast<int8_t>(s.tensor.scalar_type));
  auto& allocation = s.allocation();
  allocation.memory_offset_high = 0;
  allocation.memory_offset_low = static_cast<uint32_t>(8 * s.random.below(3));
  s.tensor.data_buffer_idx = 0;
  s.buffer_bytes() = bytes + allocation.memory_offset_low + pick<int64_t>(s.random, {0, 0, 1, -1});
}
/// A place beyond 4 GiB, in a buffer of a device: a host that reserves addresses gives it.
void far_place(const Site& s) {
  buffer_fits(s);
  const uint32_t high = 1 + static_cast<uint32_t>(s.random.below(3));
  s.allocation().memory_offset_high = high;
  s.buffer_bytes() += static_cast<int64_t>(uint64_t{high} << 32);
  s.extra().device_type = wire::DeviceType_CUDA;
  s.extra().device_index = static_cast<int8_t>(s.random.below(2));
  agree(s);
}
void data_index(const Site& s) {
  auto& index = s.tensor.data_buffer_idx;
  index = s.random.one_in(2) ? static_cast<uint32_t>(s.random.below(4)) : number(s.random, index);
}
void mutable_index(const Site& s) {
  auto& index = s.extra().mutable_data_segments_idx;
  index = s.random.one_in(2) ? s.random.below(3) : number(s.random, index);
}
void location(const Site& s) {
  const int8_t any = static_cast<int8_t>(s.random.next());
  s.extra().location =
      static_cast<wire::TensorDataLocation>(pick<int8_t>(s.random, {0, 1, 1, 2, -1, any}));
}
/// Data outside of the file, on a device.
void external(const Site& s) {
  s.extra().location = wire::TensorDataLocation_EXTERNAL;
  s.extra().fully_qualified_name = pick(s.random, {"n", "weight", "layer.0.weight"});
  s.tensor.allocation_info.reset();
  cuda(s);
}
void tensor_name(const Site& s) {
  if (s.random.one_in(2)) {
    s.extra().fully_qualified_name = "layer.0.weight";
  } else {
    s.extra().fully_qualified_name.assign(pick<size_t>(s.random, {0, 1, 8, 4096, 4097}), 'n');
  }
}
/// Contents for a tensor: an offset in a table of the segments.
void contents(const Site& s) {
  auto& program = *s.objects.program;
  s.objects.has_header = s.objects.has_segments = true;
  if (s.objects.segments.empty()) s.objects.segments.resize(64, 7);
  if (!s.objects.data_bytes) s.objects.data_bytes = s.objects.segments.size();
  if (program.segments.empty()) {
    program.segments.push_back(std::make_unique<wire::DataSegmentT>());
    program.segments.back()->size = s.objects.segments.size();
  }
  auto& offsets = s.offsets().offsets;
  while (offsets.size() < 2) offsets.push_back(0);
  offsets.back() = s.random.below(65);
  s.tensor.data_buffer_idx = static_cast<uint32_t>(offsets.size() - 1);
}
void offset_of_data(const Site& s) {
  auto& table = s.offsets();
  edit(table.offsets, s.random);
  if (s.random.one_in(3)) table.segment_index = number(s.random, table.segment_index);
}
void segment(const Site& s) {
  auto& list = s.objects.program->segments;
  if (list.empty() || (s.random.one_in(4) && list.size() < most_elements)) {
    list.push_back(std::make_unique<wire::DataSegmentT>());
  }
  auto& one = *list[s.random.below(list.size())];
  auto& field = s.random.one_in(2) ? one.offset : one.size;
  field = s.random.one_in(2) ? s.random.below(129) : number(s.random, field);
}
void header(const Site& s) {
  Objects& o = s.objects;
  o.has_header = true;
  switch (s.random.below(5)) {
    case 0:
      o.header_bytes = pick<uint32_t>(s.random, {0, 23, 24, 31, 32, 33, 40, 64, UINT32_MAX});
      break;
    case 1:
      o.data_bytes = number<uint64_t>(s.random, o.segments.size());
      o.header_bytes = 32;
      break;
    case 2:
      o.has_segments = !o.has_segments;
      break;
    case 3:
      o.base_remainder = static_cast<uint32_t>(s.random.below(16));
      break;
    default:
      o.segments.resize(s.random.below(129));
      if (o.data_bytes) o.data_bytes = o.segments.size();
  }
}
void named_data(const Site& s) {
  auto& list = s.objects.program->named_data;
  if (list.empty()) list.push_back(std::make_unique<wire::NamedDataT>());
  auto& one = *list[s.random.below(list.size())];
  one.key.assign(s.random.below(3), 'k');
  one.segment_index = static_cast<uint32_t>(s.random.below(3));
}
void constant_table(const Site& s) {
  auto& program = *s.objects.program;
  if (s.random.one_in(3)) {
    program.constant_segment.reset();
  } else if (s.random.one_in(2)) {
    program.constant_segment = std::make_unique<wire::SubsegmentOffsetsT>();
    program.constant_segment->offsets.assign(1, 0);
  } else {
    program.constant_buffer.clear();
    if (s.random.one_in(2)) program.constant_buffer.push_back(std::make_unique<wire::BufferT>());
  }
}

void input_or_output(const Site& s) {
  auto& list = s.random.one_in(2) ? s.plan.inputs : s.plan.outputs;
  const auto count = static_cast<int32_t>(s.plan.values.size());
  if (list.empty()) list.push_back(0);
  int32_t& index = list[s.random.below(list.size())];
  index = s.random.one_in(2) ? pick<int32_t>(s.random, {0, -1, count - 1, count})
                             : number(s.random, index);
}
void inputs(const Site& s) { edit(s.random.one_in(2) ? s.plan.inputs : s.plan.outputs, s.random); }
void add_tensor(const Site& s) {
  if (s.plan.values.size() >= most_elements) return;
  auto value = std::make_unique<wire::EValueT>();
  value->val.Set(wire::TensorT(s.tensor));
  if (s.random.one_in(2)) s.plan.values.push_back(std::make_unique<wire::EValueT>(*value));
  s.plan.values.push_back(std::move(value));
}
void drop_value(const Site& s) {
  auto& values = s.plan.values;
  if (values.size() > 1) {
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(s.random.below(values.size())));
  }
}
template <class T>
void list_value(wire::EValueT& value, const Site& s) {
  T list;
  const size_t count = s.random.below(4);
  for (size_t i = 0; i < count; ++i) {
    const auto any = static_cast<int64_t>(s.random.below(s.plan.values.size() + 2)) - 1;
    list.items.push_back(static_cast<typename decltype(list.items)::value_type>(any));
  }
  value.val.Set(std::move(list));
}
void add_value(const Site& s) {
  if (s.plan.values.size() >= most_elements) return;
  auto value = std::make_unique<wire::EValueT>();
  switch (s.random.below(9)) {
    case 0:
      value->val.Set(wire::NullT());
      break;
    case 1:
      value->val.Set(wire::BoolT());
      break;
    case 2:
      value->val.Set(wire::StringT());
      break;
    case 3:
      list_value<wire::IntListT>(*value, s);
      break;
    case 4:
      list_value<wire::TensorListT>(*value, s);
      break;
    case 5:
      list_value<wire::OptionalTensorListT>(*value, s);
      break;
    case 6:
      list_value<wire::DoubleListT>(*value, s);
      break;
    case 7:
      value->val.Set(wire::DoubleT());
      break;
    default:
      value->val.Set(wire::IntT());
  }
  s.plan.values.push_back(std::move(value));
}
void list_item(const Site& s) {
  for (auto& value : s.plan.values) {
    if (auto* ints = value->val.AsIntList()) edit(ints->items, s.random);
    if (auto* tensors = value->val.AsTensorList()) edit(tensors->items, s.random);
    if (auto* some = value->val.AsOptionalTensorList()) edit(some->items, s.random);
  }
}
void delegate(const Site& s) {
  auto& list = s.plan.delegates;
  if (list.empty()) list.push_back(std::make_unique<wire::BackendDelegateT>());
  auto& one = *list[s.random.below(list.size())];
  if (!one.processed) one.processed = std::make_unique<wire::BackendDelegateDataReferenceT>();
  one.processed->location =
      static_cast<wire::DataLocation>(pick<int8_t>(s.random, {0, 1, 1, 2, -1}));
  one.processed->index = static_cast<uint32_t>(s.random.below(3));
  if (s.random.one_in(4)) one.processed.reset();
  auto& data = s.objects.program->backend_delegate_data;
  if (data.empty()) data.push_back(std::make_unique<wire::BackendDelegateInlineDataT>());
}
void method_name(const Site& s) {
  s.plan.name.assign(pick<size_t>(s.random, {0, 7, 4096, 4097}), 'm');
}
void method(const Site& s) {
  auto& list = s.objects.program->execution_plan;
  if (list.size() >= 4) return;
  auto copy = std::make_unique<wire::ExecutionPlanT>(s.plan);
  copy->name = unused_name(*s.objects.program);
  list.push_back(std::move(copy));
}
void plain(const Site& s) { make_plain(*s.objects.program); }

struct Row {
  Change change;
  size_t weight;
};
constexpr Row rows[] = {
    {device_type, 8},
    {device_index, 8},
    {cuda, 6},
    {toggle_extra, 4},
    {buffer_type, 5},
    {buffer_index, 5},
    {buffer_named, 4},
    {drop_buffer_device, 2},
    {agree, 8},
    {planned_on_device, 8},
    {buffer_of_its_own, 4},
    {sizes, 6},
    {large_sizes, 3},
    {rank, 2},
    {dim_order, 4},
    {permuted, 2},
    {scalar_type, 5},
    {dynamism, 7},
    {storage_offset, 2},
    {ignored, 1},
    {toggle_allocation, 3},
    {memory_id, 3},
    {memory_offset, 4},
    {buffer_size, 4},
    {buffer_fits, 4},
    {far_place, 2},
    {data_index, 3},
    {mutable_index, 2},
    {location, 3},
    {external, 2},
    {tensor_name, 2},
    {contents, 4},
    {offset_of_data, 3},
    {segment, 3},
    {header, 4},
    {named_data, 2},
    {constant_table, 1},
    {input_or_output, 3},
    {inputs, 1},
    {add_tensor, 6},
    {drop_value, 1},
    {add_value, 2},
    {list_item, 2},
    {delegate, 2},
    {method_name, 1},
    {method, 3},
    {plain, 3},
};

Change some_change(Random& random) {
  static const size_t all = [] {
    size_t sum = 0;
    for (const Row& row : rows) sum += row.weight;
    return sum;
  }();
  size_t rest = random.below(all);
  for (const Row& row : rows) {
    if (rest < row.weight) return row.change;
    rest -= row.weight;
  }
  return rows[0].change;
}

wire::ExecutionPlanT& some_plan(Objects& objects, Random& random) {
  auto& plans = objects.program->execution_plan;
  if (plans.empty()) {
    plans.push_back(std::make_unique<wire::ExecutionPlanT>());
    plans.back()->name = "forward";
  }
  return *plans[random.below(plans.size())];
}

wire::TensorT& some_tensor(wire::ExecutionPlanT& plan, Random& random) {
  std::vector<wire::TensorT*> found;
  for (auto& value : plan.values) {
    if (auto* tensor = value->val.AsTensor()) found.push_back(tensor);
  }
  if (!found.empty()) return *found[random.below(found.size())];
  auto value = std::make_unique<wire::EValueT>();
  value->val.Set(wire::TensorT());
  plan.values.push_back(std::move(value));
  return *plan.values.back()->val.AsTensor();
}

}  // namespace

void change_one_word(Objects& objects, Random& random) {
  wire::ExecutionPlanT& plan = some_plan(objects, random);
  some_change(random)({objects, plan, some_tensor(plan, random), random});
}

void change_words(Objects& objects, Random& random) {
  for (size_t n = 1 + random.below(3); n-- > 0;) change_one_word(objects, random);
}

void cross_words(Objects& objects, Objects& other, Random& random) {
  wire::ExecutionPlanT& plan = some_plan(objects, random);
  wire::ExecutionPlanT& from = some_plan(other, random);
  wire::TensorT& to = some_tensor(plan, random);
  wire::TensorT& source = some_tensor(from, random);
  switch (random.below(7)) {
    case 0:
      to = source;
      break;
    case 1:
      std::swap(to.extra_tensor_info, source.extra_tensor_info);
      break;
    case 2:
      std::swap(to.allocation_info, source.allocation_info);
      plan.non_const_buffer_sizes = from.non_const_buffer_sizes;
      break;
    case 3:
      std::swap(plan.non_const_buffer_device, from.non_const_buffer_device);
      break;
    case 4:
      for (auto& value : from.values) {
        if (plan.values.size() < most_elements) plan.values.push_back(std::move(value));
      }
      break;
    case 5:
      std::swap(objects.program->segments, other.program->segments);
      std::swap(objects.program->constant_segment, other.program->constant_segment);
      std::swap(objects.program->mutable_data_segments, other.program->mutable_data_segments);
      objects.segments = other.segments;
      objects.has_header = other.has_header;
      objects.has_segments = other.has_segments;
      break;
    default:
      if (objects.program->execution_plan.size() < 4) {
        auto copy = std::make_unique<wire::ExecutionPlanT>(from);
        if (!random.one_in(8)) copy->name = unused_name(*objects.program);
        objects.program->execution_plan.push_back(std::move(copy));
      }
  }
}

}  // namespace aoti_cts::fuzz
