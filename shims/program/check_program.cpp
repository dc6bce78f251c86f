// The rules for everything around the tensors: segments, constants, methods, planned buffers and
// the values that refer to one another. Runs on table data whose structure was checked, so that the
// accessors flatc generated are safe to use.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <type_traits>
#include <vector>

#include "check.h"

namespace aoti_cts::program {
namespace {

template <class T>
uint32_t count(const flatbuffers::Vector<T>* vector) {
  return vector == nullptr ? 0 : vector->size();
}

std::string_view text(const flatbuffers::String* string) {
  return string == nullptr ? std::string_view{} : std::string_view{string->c_str(), string->size()};
}

/// Of a planned buffer, until its entry or the end of the entries is reached: no device is so.
constexpr Device no_entry{std::numeric_limits<int8_t>::min(), 0};

}  // namespace

const char* to_string(Code code) {
  switch (code) {
#define AOTI_PROGRAM_ERROR(name, value, meaning) \
  case Code::name:                               \
    return #name;
#include "aoti_program/errors.def"
#undef AOTI_PROGRAM_ERROR
  }
  return "?";
}

const char* to_string(Where where) {
  switch (where) {
    case Where::runtime:
      return "runtime";
    case Where::planned:
      return "planned";
    case Where::initial:
      return "initial";
    case Where::constant:
      return "constant";
    case Where::external:
      return "external";
  }
  return "?";
}

std::string to_string(Device device) {
  std::string type = device.type == wire::DeviceType_CPU    ? "cpu"
                     : device.type == wire::DeviceType_CUDA ? "cuda"
                                                            : "type" + std::to_string(device.type);
  if (device.type == wire::DeviceType_CPU && device.index == -1) return type;
  return type + ":" + std::to_string(device.index);
}

std::string Error::text() const {
  char number[8];
  std::snprintf(number, sizeof(number), "0x%02x", static_cast<unsigned>(code));
  return path + ": " + value + " " + want + " [" + clause + ", " + to_string(code) + " " + number +
         "]";
}

void Program::clear() {
  plans.clear();
  tensors.clear();
  buffers.clear();
  indices.clear();
  sizes.clear();
  dim_order.clear();
  strides.clear();
  segment_base = 0;
}

bool Checker::refuse(const char* clause, Code code, const Path& path, const Value& value,
                     std::string_view want) {
  // Written in place, so that who parses again and again into one Error allocates nothing for it.
  const auto tell = [&](Error& error) {
    error.code = code;
    error.clause = clause;
    path.write(error.path);
    if (error.path.empty()) error.path = "program";  // the root table itself
    error.value = value.text;
    error.want = want;
  };
  if (options_.sabotage != nullptr) {
    Error error;
    tell(error);
    if (options_.sabotage->waive(error)) return true;
  }
  tell(error_);
  return false;
}

bool Checker::beyond(uint64_t value, uint64_t limit, const char* name, const Path* up,
                     const char* field, int64_t index) {
  return refuse("PARSE.verifier", Code::NotSupported, Path{up, field, index}, Value(value),
                "exceeds the limit `" + std::string(name) + "` of " + std::to_string(limit));
}

bool Checker::spend(uint64_t elements, const Path& path) {
  spent_ += elements;
  return within(spent_, layout_.program_bytes, "program_bytes (vector elements looked at)", path);
}

bool Checker::run() {
  out_.plans.clear();
  out_.tensors.clear();
  out_.buffers.clear();
  out_.indices.clear();
  // The pools keep the size of the program before: what is overwritten needs no filling first.
  const size_t dims = std::min({out_.sizes.size(), out_.dim_order.size(), out_.strides.size()});
  out_.sizes.resize(dims);
  out_.dim_order.resize(dims);
  out_.strides.resize(dims);
  if (!header() || !structure() || !program()) {
    out_.clear();
    return false;
  }
  out_.sizes.resize(dims_);
  out_.dim_order.resize(dims_);
  out_.strides.resize(dims_);
  out_.segment_base = layout_.segment_base;
  return true;
}

bool parse(const void* data, size_t size, const Options& options, Program& out, Error& error) {
  return Checker(data, size, options, out, error).run();
}

bool Checker::program() {
  program_ = wire::GetProgram(data_);
  if (!segments() || !constants() || !named_data()) return false;
  const Path path{nullptr, "execution_plan"};
  const auto* plans = program_->execution_plan();
  if (!demand(count(plans) > 0, "PARSE.values", Code::InvalidProgram, path, 0,
              "methods: a program has at least one") ||
      !within(count(plans), options_.limits.execution_plans, "execution_plans", path)) {
    return false;
  }
  for (plan_index_ = 0; plan_index_ < count(plans); ++plan_index_) {
    if (!plan(*plans->Get(plan_index_), Path{nullptr, "execution_plan", plan_index_})) return false;
  }
  return true;
}

bool Checker::segments() {
  const Path path{nullptr, "segments"};
  const auto* all = program_->segments();
  if (!within(count(all), options_.limits.segments, "segments", path)) return false;
  for (uint32_t i = 0; i < count(all); ++i) {
    const Path here{nullptr, "segments", i};
    const wire::DataSegment& segment = *all->Get(i);
    if (!demand(segment.offset() <= layout_.segment_bytes, "PARSE.data-index", Code::InvalidProgram,
                Path{&here, "offset"}, segment.offset(),
                "must be inside the file's segment data") ||
        !demand(segment.size() <= layout_.segment_bytes - segment.offset(), "PARSE.data-index",
                Code::InvalidProgram, Path{&here, "size"}, segment.size(),
                "must end inside the file's segment data")) {
      return false;
    }
  }
  return true;
}

bool Checker::offsets(const wire::SubsegmentOffsets& table, const Path& path) {
  const auto* all = table.offsets();
  const Path offsets_path{&path, "offsets"};
  if (!within(count(all), options_.limits.constants, "constants", offsets_path) ||
      !spend(count(all), offsets_path)) {
    return false;
  }
  if (count(all) < 2) return true;  // the reserved entry alone: no segment is meant
  if (!demand(table.segment_index() < count(program_->segments()), "PARSE.data-index",
              Code::InvalidProgram, Path{&path, "segment_index"}, table.segment_index(),
              "must be less than the number of segments")) {
    return false;
  }
  if (table.segment_index() >= count(program_->segments())) return true;
  const uint64_t bytes = program_->segments()->Get(table.segment_index())->size();
  for (uint32_t i = 1; i < all->size(); ++i) {
    if (!demand(element(*all, i) <= bytes, "PARSE.data-index", Code::InvalidProgram,
                Path{&path, "offsets", i}, element(*all, i), "must be inside its segment")) {
      return false;
    }
  }
  return true;
}

bool Checker::constants() {
  const Path path{nullptr, "constant_segment"};
  const wire::SubsegmentOffsets* segment = program_->constant_segment();
  const uint32_t entries = segment == nullptr ? 0 : count(segment->offsets());
  if (!demand(entries > 0, "PARSE.data-index", Code::InvalidProgram, Path{&path, "offsets"},
              entries,
              "entries: constants inside the table data are retired, so entry 0 must be there")) {
    return false;
  }
  if (!demand(entries < 2 || count(program_->constant_buffer()) == 0, "PARSE.data-index",
              Code::InvalidProgram, Path{nullptr, "constant_buffer"},
              count(program_->constant_buffer()),
              "entries: must be none where constant_segment has the constants")) {
    return false;
  }
  if (segment != nullptr && !offsets(*segment, path)) return false;
  const auto* initial = program_->mutable_data_segments();
  if (!within(count(initial), options_.limits.segments, "segments",
              Path{nullptr, "mutable_data_segments"})) {
    return false;
  }
  for (uint32_t i = 0; i < count(initial); ++i) {
    if (!offsets(*initial->Get(i), Path{nullptr, "mutable_data_segments", i})) return false;
  }
  return true;
}

bool Checker::named_data() {
  const auto* all = program_->named_data();
  if (!within(count(all), options_.limits.constants, "constants", Path{nullptr, "named_data"})) {
    return false;
  }
  for (uint32_t i = 0; i < count(all); ++i) {
    const Path here{nullptr, "named_data", i};
    const wire::NamedData& entry = *all->Get(i);
    if (!demand(!text(entry.key()).empty(), "PARSE.data-index", Code::InvalidProgram,
                Path{&here, "key"}, "null", "must name the data") ||
        !demand(entry.segment_index() < count(program_->segments()), "PARSE.data-index",
                Code::InvalidProgram, Path{&here, "segment_index"}, entry.segment_index(),
                "must be less than the number of segments")) {
      return false;
    }
  }
  return true;
}

bool Checker::plan(const wire::ExecutionPlan& plan, const Path& path) {
  const Path name_path{&path, "name"};
  Plan& out = out_.plans.emplace_back();
  out.name = text(plan.name());
  if (!demand(plan.name() != nullptr, "PARSE.values", Code::InvalidProgram, name_path, "null",
              "must name the method") ||
      !within(out.name.size(), options_.limits.name_bytes, "name_bytes", name_path)) {
    return false;
  }
  out.values = count(plan.values());
  out.first_tensor = static_cast<uint32_t>(out_.tensors.size());
  if (!buffers(plan, path) || !values(plan, path) ||
      !references(plan, plan.inputs(), wire::KernelTypes_NONE, Path{&path, "inputs"}) ||
      !references(plan, plan.outputs(), wire::KernelTypes_NONE, Path{&path, "outputs"}) ||
      !delegates(plan, path)) {
    return false;
  }
  Plan& done = out_.plans.back();
  done.tensors = static_cast<uint32_t>(out_.tensors.size()) - done.first_tensor;
  done.first_index = static_cast<uint32_t>(out_.indices.size());
  done.inputs = count(plan.inputs());
  done.outputs = count(plan.outputs());
  for (const auto* list : {plan.inputs(), plan.outputs()}) {
    for (uint32_t i = 0; i < count(list); ++i) {
      out_.indices.push_back(static_cast<uint32_t>(element(*list, i)));
    }
  }
  return true;
}

bool Checker::buffers(const wire::ExecutionPlan& plan, const Path& path) {
  const auto* sizes = plan.non_const_buffer_sizes();
  const Path sizes_path{&path, "non_const_buffer_sizes"};
  if (!within(count(sizes), options_.limits.buffers, "buffers", sizes_path) ||
      !spend(count(sizes), sizes_path)) {
    return false;
  }
  Plan& out = out_.plans.back();
  out.first_buffer = static_cast<uint32_t>(out_.buffers.size());
  out.buffers = std::max(count(sizes), uint32_t{1}) - 1;
  for (uint32_t i = 0; i < count(sizes); ++i) {
    if (!demand(element(*sizes, i) >= 0, "PARSE.buffer-size", Code::InvalidProgram,
                Path{&path, "non_const_buffer_sizes", i}, element(*sizes, i),
                "must not be negative")) {
      return false;
    }
    if (i > 0) out_.buffers.push_back({static_cast<uint64_t>(element(*sizes, i)), no_entry});
  }
  const auto* devices = plan.non_const_buffer_device();
  for (uint32_t i = 0; i < count(devices); ++i) {
    if (!buffer_device(*devices->Get(i), Path{&path, "non_const_buffer_device", i})) return false;
  }
  const Device host{wire::DeviceType_CPU,
                    static_cast<int8_t>(options_.mode == Mode::aten ? -1 : 0)};
  for (uint32_t i = 0; i < out.buffers; ++i) {
    Device& device = out_.buffers[out.first_buffer + i].device;
    if (device == no_entry) device = host;
  }
  return true;
}

bool Checker::buffer_device(const wire::NonConstBufferDevice& entry, const Path& path) {
  const Plan& plan = out_.plans.back();
  const Path index_path{&path, "buffer_idx"};
  const int32_t index = entry.buffer_idx();
  const bool inside = index >= 1 && static_cast<uint32_t>(index) <= plan.buffers;
  Device found;
  if (!device(entry.device_type(), entry.device_index(), path, "PARSE.buffer-device",
              "PARSE.buffer-device", found) ||
      !demand(inside, "PARSE.buffer-index", Code::InvalidProgram, index_path, index,
              "must name a planned buffer, counted from 1")) {
    return false;
  }
  if (!inside) return true;
  Device& device = out_.buffers[plan.first_buffer + static_cast<uint32_t>(index) - 1].device;
  if (!demand(device == no_entry, "PARSE.buffer-index", Code::InvalidProgram, index_path, index,
              "has an entry already")) {
    return false;
  }
  device = found;
  return true;
}

bool Checker::values(const wire::ExecutionPlan& plan, const Path& path) {
  const auto* all = plan.values();
  if (!within(count(all), options_.limits.values, "values", Path{&path, "values"})) return false;
  for (value_index_ = 0; value_index_ < count(all); ++value_index_) {
    if (!value(plan, *all->Get(value_index_), Path{&path, "values", value_index_})) return false;
  }
  return true;
}

bool Checker::value(const wire::ExecutionPlan& plan, const wire::EValue& value, const Path& path) {
  const wire::KernelTypes kind = value.val_type();
  const void* const content = value.val();
  if (kind == wire::KernelTypes_Tensor && content != nullptr) [[likely]] {
    return tensor(*static_cast<const wire::Tensor*>(content), Path{&path, "tensor"});
  }
  if (kind == wire::KernelTypes_Null) return true;
  const bool known = kind > wire::KernelTypes_NONE && kind <= wire::KernelTypes_MAX;
  if (!demand(known, "PARSE.values", Code::InvalidProgram, Path{&path, "val_type"},
              static_cast<int>(kind), "is no kind of value") ||
      !demand(content != nullptr, "PARSE.values", Code::InvalidProgram, Path{&path, "val"}, "null",
              "must be there for a value of this kind")) {
    return false;
  }
  if (!known || content == nullptr) return true;
  switch (kind) {
    case wire::KernelTypes_String: {
      const Path table{&path, "string"};
      return demand(value.val_as_String()->string_val() != nullptr, "PARSE.values",
                    Code::InvalidProgram, Path{&table, "string_val"}, "null", "must be there");
    }
    case wire::KernelTypes_IntList:
      return list(plan, value.val_as_IntList()->items(), wire::KernelTypes_Int,
                  Path{&path, "int_list"});
    case wire::KernelTypes_DoubleList:
      return list(plan, value.val_as_DoubleList()->items(), wire::KernelTypes_NONE,
                  Path{&path, "double_list"});
    case wire::KernelTypes_BoolList:
      return list(plan, value.val_as_BoolList()->items(), wire::KernelTypes_NONE,
                  Path{&path, "bool_list"});
    case wire::KernelTypes_TensorList:
      return list(plan, value.val_as_TensorList()->items(), wire::KernelTypes_Tensor,
                  Path{&path, "tensor_list"});
    case wire::KernelTypes_OptionalTensorList:
      return list(plan, value.val_as_OptionalTensorList()->items(), wire::KernelTypes_Null,
                  Path{&path, "optional_tensor_list"});
    default:
      return true;
  }
}

template <class T>
bool Checker::list(const wire::ExecutionPlan& plan, const flatbuffers::Vector<T>* items,
                   wire::KernelTypes kind, const Path& path) {
  if (!demand(items != nullptr, "PARSE.values", Code::InvalidProgram, Path{&path, "items"}, "null",
              "must be there, if empty")) {
    return false;
  }
  if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>) {
    return references(plan, items, kind, Path{&path, "items"});
  } else {
    return true;  // the items are the values themselves
  }
}

// `kind` is what the named values must be: NONE for anything, Null for a tensor or nothing.
template <class T>
bool Checker::references(const wire::ExecutionPlan& plan, const flatbuffers::Vector<T>* items,
                         wire::KernelTypes kind, const Path& path) {
  if (!spend(count(items), path)) return false;
  const auto* all = plan.values();
  for (uint32_t i = 0; i < count(items); ++i) {
    const int64_t index = element(*items, i);
    if (kind == wire::KernelTypes_Null && index == -1) continue;
    const Path here{path.up, path.field, i};
    const bool inside = index >= 0 && index < int64_t{count(all)};
    if (!demand(inside, "PARSE.values", Code::InvalidProgram, here, index,
                "must be the index of a value")) {
      return false;
    }
    if (!inside || kind == wire::KernelTypes_NONE) continue;
    const wire::KernelTypes have = all->Get(static_cast<uint32_t>(index))->val_type();
    const bool fits = kind == wire::KernelTypes_Null
                          ? have == wire::KernelTypes_Tensor || have == wire::KernelTypes_Null
                          : have == kind;
    if (!demand(fits, "PARSE.values", Code::InvalidProgram, here, index,
                kind == wire::KernelTypes_Int ? "must name an Int" : "must name a Tensor")) {
      return false;
    }
  }
  return true;
}

bool Checker::delegates(const wire::ExecutionPlan& plan, const Path& path) {
  const auto* all = plan.delegates();
  for (uint32_t i = 0; i < count(all); ++i) {
    const Path here{&path, "delegates", i};
    const Path processed{&here, "processed"};
    const wire::BackendDelegateDataReference* data = all->Get(i)->processed();
    if (!demand(data != nullptr, "PARSE.data-index", Code::InvalidProgram, processed, "null",
                "must say where the delegate's data is")) {
      return false;
    }
    if (data == nullptr) continue;
    const int location = data->location();
    const uint32_t limit = location == wire::DataLocation_INLINE
                               ? count(program_->backend_delegate_data())
                               : count(program_->segments());
    if (!demand(location == wire::DataLocation_INLINE || location == wire::DataLocation_SEGMENT,
                "PARSE.enum-range", Code::InvalidProgram, Path{&processed, "location"}, location,
                "must be INLINE (0) or SEGMENT (1)") ||
        !demand(data->index() < limit, "PARSE.data-index", Code::InvalidProgram,
                Path{&processed, "index"}, data->index(), "must name data of the program")) {
      return false;
    }
  }
  return true;
}

}  // namespace aoti_cts::program
