// The rules for one tensor, in the order in which a reader asks: on which device, of which type,
// of which shape, where its bytes are. A rule that needs another one to hold comes after it.
#include <algorithm>
#include <limits>

#include "check.h"

namespace aoti_cts::program {
namespace {

struct ScalarRow {
  const char* name;  ///< as the schema spells it; null for a code without a type
  uint8_t bytes;     ///< of one element
  uint8_t align;
};

// By code, 0 to 29. 8-10 and 18-21 are codes that the schema lacks; the type they mean is known, so
// they are read, as the shipped runtime does.
constexpr ScalarRow scalars[] = {
    {"BYTE", 1, 1},         {"CHAR", 1, 1},           {"SHORT", 2, 2},
    {"INT", 4, 4},          {"LONG", 8, 8},           {"HALF", 2, 2},
    {"FLOAT", 4, 4},        {"DOUBLE", 8, 8},         {"COMPLEXHALF", 4, 2},
    {"COMPLEXFLOAT", 8, 4}, {"COMPLEXDOUBLE", 16, 8}, {"BOOL", 1, 1},
    {"QINT8", 1, 1},        {"QUINT8", 1, 1},         {"QINT32", 4, 4},
    {"BFLOAT16", 2, 2},     {"QUINT4X2", 1, 1},       {"QUINT2X4", 1, 1},
    {"BITS1X8", 1, 1},      {"BITS2X4", 1, 1},        {"BITS4X2", 1, 1},
    {"BITS8", 1, 1},        {"BITS16", 2, 2},         {"FLOAT8E5M2", 1, 1},
    {"FLOAT8E4M3FN", 1, 1}, {"FLOAT8E5M2FNUZ", 1, 1}, {"FLOAT8E4M3FNUZ", 1, 1},
    {"UINT16", 2, 2},       {"UINT32", 4, 4},         {"UINT64", 8, 8},
};
constexpr int64_t int32_max = std::numeric_limits<int32_t>::max();
constexpr int64_t int64_max = std::numeric_limits<int64_t>::max();
constexpr int scalar_count = static_cast<int>(std::size(scalars));

const ScalarRow* scalar_row(int8_t code) {
  return code >= 0 && code < scalar_count ? &scalars[code] : nullptr;
}

// Alignments are powers of two. A code without a type is a sabotaged parser's alone.
bool is_aligned(uint64_t offset, int8_t scalar_type) {
  const ScalarRow* row = scalar_row(scalar_type);
  return row == nullptr || (offset & (row->align - 1u)) == 0;
}

}  // namespace

uint32_t element_bytes(int8_t scalar_type) {
  const ScalarRow* row = scalar_row(scalar_type);
  return row == nullptr ? 0 : row->bytes;
}

const char* scalar_type_name(int8_t scalar_type) {
  const ScalarRow* row = scalar_row(scalar_type);
  return row == nullptr ? nullptr : row->name;
}

[[gnu::flatten]] bool Checker::tensor(const wire::Tensor& tensor, const Path& path) {
  const Fields in(tensor);
  Tensor& out = out_.tensors.emplace_back();
  out.plan = plan_index_;
  out.value = value_index_;
  out.scalar_type = in.scalar_type;
  out.dims = dims_;
  if (!extra_info(in.extra, path, out) ||
      !demand(scalar_row(out.scalar_type) != nullptr, "PARSE.dtype", Code::InvalidProgram,
              Path{&path, "scalar_type"}, int{out.scalar_type}, "must be a scalar type, 0 to 29") ||
      !demand(in.dynamism >= 0 && in.dynamism <= wire::TensorShapeDynamism_MAX, "PARSE.enum-range",
              Code::InvalidProgram, Path{&path, "shape_dynamism"}, int{in.dynamism},
              "must be STATIC (0), DYNAMIC_BOUND (1) or DYNAMIC_UNBOUND (2)")) {
    return false;
  }
  out.dynamism = static_cast<Dynamism>(in.dynamism);
  const bool no_bound = out.dynamism == Dynamism::unbounded;
  const bool can_grow = options_.mode == Mode::aten && out.device.type == wire::DeviceType_CPU;
  if (!demand(!no_bound || can_grow, "PARSE.unbound", Code::NotSupported,
              Path{&path, "shape_dynamism"}, int{in.dynamism},
              "without a bound needs at::Tensor and host memory") ||
      !demand(in.storage_offset == 0, "PARSE.storage-offset", Code::NotSupported,
              Path{&path, "storage_offset"}, in.storage_offset, "must be 0") ||
      !shape(in, path, out) || !place(in, path, out)) {
    return false;
  }
  if (options_.sabotage != nullptr && !options_.sabotage->touch(out_, out)) {
    return refuse("PARSE.sabotage", Code::InvalidProgram, path, Value("tensor"), "was refused");
  }
  return true;
}

bool Checker::device(int8_t type, int8_t index, const Path& path, const char* type_clause,
                     const char* index_clause, Device& out) {
  if (!demand(type == wire::DeviceType_CPU || type == wire::DeviceType_CUDA, type_clause,
              Code::InvalidProgram, Path{&path, "device_type"}, int{type},
              "must be CPU (0) or CUDA (1)") ||
      !demand(
          type == wire::DeviceType_CPU || index >= 0, index_clause, Code::InvalidProgram,
          Path{&path, "device_index"}, int{index},
          "must not be negative: a program places a tensor on a device, not on the current one")) {
    return false;
  }
  // at::Device("cpu") is unindexed, and unequal to any CPU device with an index.
  const bool unindexed = options_.mode == Mode::aten && type == wire::DeviceType_CPU;
  out = {type, unindexed ? int8_t{-1} : index};
  return true;
}

bool Checker::extra_info(const wire::ExtraTensorInfo* extra, const Path& path, Tensor& out) {
  const Path here{&path, "extra_tensor_info"};
  if (!device(extra == nullptr ? int8_t{wire::DeviceType_CPU} : int8_t{extra->device_type()},
              extra == nullptr ? int8_t{0} : extra->device_index(), here, "PARSE.device-type",
              "PARSE.device-index", out.device)) {
    return false;
  }
  if (extra == nullptr) return true;
  const Path name_path{&here, "fully_qualified_name"};
  if (extra->fully_qualified_name() != nullptr) {
    out.name = {extra->fully_qualified_name()->c_str(), extra->fully_qualified_name()->size()};
  }
  if (!within(out.name.size(), options_.limits.name_bytes, "name_bytes", name_path)) return false;
  const int location = extra->location();
  if (!demand(location >= 0 && location <= wire::TensorDataLocation_MAX, "PARSE.enum-range",
              Code::InvalidProgram, Path{&here, "location"}, location,
              "must be SEGMENT (0) or EXTERNAL (1)")) {
    return false;
  }
  if (location != wire::TensorDataLocation_EXTERNAL) return true;
  out.where = Where::external;
  return demand(!out.name.empty(), "PARSE.external", Code::InvalidExternalData, name_path,
                extra->fully_qualified_name() == nullptr ? "null" : "\"\"",
                "must name data that is outside of the file");
}

// Sizes and order are read by loops without an early end, which is what makes them cheap; a fault
// is then looked for again, in the order of the wire.
bool Checker::shape(const Fields& in, const Path& path, Tensor& out) {
  const Path sizes_path{&path, "sizes"};
  if (!demand(in.sizes != nullptr, "PARSE.sizes", Code::InvalidProgram, sizes_path, "null",
              "must be there, if empty") ||
      !demand(in.dim_order != nullptr, "PARSE.sizes", Code::InvalidProgram,
              Path{&path, "dim_order"}, "null", "must be there, if empty")) {
    return false;
  }
  if (in.sizes == nullptr || in.dim_order == nullptr) return true;
  const uint32_t rank = in.sizes->size();
  if (!demand(rank <= Limits::rank, "PARSE.sizes", Code::InvalidProgram, sizes_path, rank,
              "dimensions: exceeds the limit `rank` of 16") ||
      !demand(in.dim_order->size() == rank, "PARSE.sizes", Code::InvalidProgram,
              Path{&path, "dim_order"}, in.dim_order->size(),
              "dimensions: must be as many as there are sizes")) {
    return false;
  }
  out.rank = static_cast<uint8_t>(rank);
  reserve_dims(rank);
  int32_t* const to = out_.sizes.data() + out.dims;
  uint64_t elements = 1;  // a size of 0 counted as 1
  int32_t signs = 0;
  bool overflow = false;
  bool empty = false;
  for (uint32_t i = 0; i < rank; ++i) {
    const int32_t size = in.sizes->Get(i);
    const uint32_t factor = static_cast<uint32_t>(size) + (size == 0 ? 1 : 0);
    to[i] = size;
    signs |= size;
    empty |= size == 0;
    overflow |= __builtin_mul_overflow(elements, factor, &elements);
  }
  if (signs < 0 && !no_negative_size(path, out)) return false;
  uint64_t bytes = 0;
  const bool too_many = __builtin_mul_overflow(elements, element_bytes(out.scalar_type), &bytes) ||
                        overflow || bytes > static_cast<uint64_t>(int64_max);
  if (!demand(!too_many || empty, "PARSE.sizes", Code::InvalidProgram, sizes_path, "product",
              "times the element's bytes must fit 63 bits")) {
    return false;
  }
  out.bytes = empty || out.dynamism == Dynamism::unbounded ? 0 : bytes;
  return layout(*in.dim_order, overflow ? UINT64_MAX : elements, path, out);
}

// The pools grow by doubling and are cut to what was used at the end of a parse.
void Checker::reserve_dims(uint32_t count) {
  dims_ += count;
  if (dims_ <= out_.sizes.size()) [[likely]] {
    return;
  }
  const size_t size = std::max<size_t>(dims_, 2 * out_.sizes.size());
  out_.sizes.resize(size);
  out_.dim_order.resize(size);
  out_.strides.resize(size);
}

bool Checker::no_negative_size(const Path& path, const Tensor& out) {
  const bool aten_input = options_.mode == Mode::aten && out.dynamism != Dynamism::fixed;
  for (uint32_t i = 0; i < out.rank; ++i) {
    const int32_t size = out_.sizes_of(out)[i];
    if (!demand(size >= 0, aten_input ? "PARSE.aten-negative" : "PARSE.sizes", Code::InvalidProgram,
                Path{&path, "sizes", i}, size, "must not be negative")) {
      return false;
    }
  }
  return true;
}

// Order of the dimensions, and packed strides in it. A size of 0 counts as 1, as the shipped
// runtime does it; `elements` is the product of sizes so counted, which no stride exceeds.
bool Checker::layout(const flatbuffers::Vector<uint8_t>& order, uint64_t elements, const Path& path,
                     Tensor& out) {
  const uint32_t rank = out.rank;
  uint8_t* const to = out_.dim_order.data() + out.dims;
  uint32_t seen = 0;
  bool outside = false;
  for (uint32_t i = 0; i < rank; ++i) {
    const uint8_t dim = order.Get(i);
    to[i] = dim;
    outside |= dim >= rank;
    seen |= uint32_t{1} << (dim % 32);
  }
  // As many dimensions as there may be, none outside and each seen: none is there twice.
  const bool permutation = !outside && seen == (uint32_t{1} << rank) - 1;
  if (!permutation && !no_bad_dimension(path, out)) return false;
  const int64_t limit = options_.mode == Mode::portable ? int32_max : int64_max;
  if (!permutation || elements > static_cast<uint64_t>(limit)) {
    return checked_strides(limit, path, out);
  }
  const int32_t* const sizes = out_.sizes_of(out);
  int64_t* const strides = out_.strides.data() + out.dims;
  int64_t stride = 1;
  for (uint32_t i = rank; i-- > 0;) {
    const uint8_t dim = to[i];
    strides[dim] = stride;
    stride *= sizes[dim] + (sizes[dim] == 0 ? 1 : 0);
  }
  return true;
}

bool Checker::no_bad_dimension(const Path& path, const Tensor& out) {
  uint32_t seen = 0;
  for (uint32_t i = 0; i < out.rank; ++i) {
    const uint8_t dim = out_.dim_order_of(out)[i];
    const Path here{&path, "dim_order", i};
    if (!demand(dim < out.rank, "PARSE.dim-order", Code::InvalidProgram, here, int{dim},
                "must be less than the rank") ||
        !demand((seen >> (dim % 32) & 1) == 0, "PARSE.dim-order", Code::InvalidProgram, here,
                int{dim}, "must stand only once")) {
      return false;
    }
    seen |= uint32_t{1} << (dim % 32);
  }
  return true;
}

// For sizes whose product may be too much for a stride; the largest size may still be that of the
// outermost dimension, which no stride has as a factor.
bool Checker::checked_strides(int64_t limit, const Path& path, Tensor& out) {
  int64_t stride = 1;
  bool overflow = false;
  for (uint32_t i = out.rank; i-- > 0;) {
    const uint32_t dim = out_.dim_order_of(out)[i];
    if (dim >= out.rank) continue;  // a sabotaged parser came here
    if (!demand(!overflow && stride <= limit, "PARSE.stride-overflow", Code::InvalidProgram,
                Path{&path, "sizes"}, StrideOf{dim},
                limit == int32_max ? "must fit 32 bits" : "must fit 64 bits")) {
      return false;
    }
    out_.strides[out.dims + dim] = stride;
    const int64_t size = out_.sizes_of(out)[dim];
    overflow = __builtin_mul_overflow(stride, size == 0 ? 1 : size, &stride) || overflow;
  }
  return true;
}

bool Checker::place(const Fields& in, const Path& path, Tensor& out) {
  const wire::AllocationDetails* allocation = in.allocation;
  if (allocation != nullptr && !planned(*allocation, Path{&path, "allocation_info"}, out)) {
    return false;
  }
  if (out.where == Where::external) return true;
  const uint32_t index = in.data_buffer_idx;
  const Path index_path{&path, "data_buffer_idx"};
  if (allocation == nullptr) {
    if (index == 0) return true;
    out.where = Where::constant;
    return constant_at(program_->constant_segment(), index, index_path, out);
  }
  out.where = index == 0 ? Where::planned : Where::initial;
  if (index == 0) return true;
  const auto* tables = program_->mutable_data_segments();
  const uint64_t table = in.extra == nullptr ? 0 : in.extra->mutable_data_segments_idx();
  const Path extra{&path, "extra_tensor_info"};
  const bool inside = tables != nullptr && table < tables->size();
  return demand(inside, "PARSE.data-index", Code::InvalidProgram,
                Path{&extra, "mutable_data_segments_idx"}, table,
                "must be less than the number of mutable_data_segments") &&
         (!inside ||
          constant_at(tables->Get(static_cast<uint32_t>(table)), index, index_path, out));
}

bool Checker::planned(const wire::AllocationDetails& place, const Path& path, Tensor& out) {
  const Plan& plan = out_.plans.back();
  const uint32_t id = place.memory_id();
  const Path offset_path{&path, "memory_offset_low"};
  out.offset = uint64_t{place.memory_offset_high()} << 32 | place.memory_offset_low();
  if (!demand(id >= 1 && id <= plan.buffers, "PARSE.allocation", Code::InvalidArgument,
              Path{&path, "memory_id"}, id, "must name a planned buffer, counted from 1")) {
    return false;
  }
  if (id < 1 || id > plan.buffers) return true;
  out.buffer = id;
  const Buffer& buffer = out_.buffer_of(out);
  if (!demand(out.bytes <= buffer.bytes && out.offset <= buffer.bytes - out.bytes,
              "PARSE.allocation", Code::MemoryAllocationFailed, offset_path, out.offset,
              "plus the tensor's bytes must not exceed its buffer")) {
    return false;
  }
  if (!demand(is_aligned(out.offset, out.scalar_type), "PARSE.alignment", Code::InvalidProgram,
              offset_path, out.offset, "must be a multiple of the scalar type's alignment")) {
    return false;
  }
  const bool agrees = out.device.type == buffer.device.type &&
                      (out.device.type == wire::DeviceType_CPU || out.device == buffer.device);
  const Path table{path.up, "extra_tensor_info"};
  return demand(agrees, "PARSE.buffer-agrees", Code::InvalidProgram, table, out.device,
                "must be the device of the buffer that the tensor is planned into");
}

bool Checker::constant_at(const wire::SubsegmentOffsets* table, uint32_t index,
                          const Path& index_path, Tensor& out) {
  const uint32_t entries =
      table == nullptr || table->offsets() == nullptr ? 0 : table->offsets()->size();
  if (!demand(index < entries, "PARSE.data-index", Code::InvalidProgram, index_path, index,
              "must be less than the number of offsets")) {
    return false;
  }
  const auto* segments = program_->segments();
  if (index >= entries || segments == nullptr || table->segment_index() >= segments->size()) {
    return true;  // only a sabotaged parser: offsets were checked against their segment
  }
  const wire::DataSegment& segment = *segments->Get(table->segment_index());
  const uint64_t offset = element(*table->offsets(), index);
  out.file_offset = layout_.segment_base + segment.offset() + offset;
  if (!demand(offset <= segment.size() && out.bytes <= segment.size() - offset, "PARSE.data-index",
              Code::InvalidProgram, index_path, index,
              "names data that ends outside of its segment")) {
    return false;
  }
  return demand(is_aligned(out.file_offset, out.scalar_type), "PARSE.alignment",
                Code::InvalidProgram, index_path, index,
                "names data whose place in the file misaligns the scalar type");
}

}  // namespace aoti_cts::program
