// The rules for one tensor, in the order in which a reader asks: on which device, of which type,
// of which shape, where its bytes are. A rule that needs another one to hold comes after it.
#include <cstdio>
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
constexpr int scalar_count = static_cast<int>(std::size(scalars));

const ScalarRow* scalar_row(int8_t code) {
  return code >= 0 && code < scalar_count ? &scalars[code] : nullptr;
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

bool Checker::tensor(const wire::Tensor& tensor, const Path& path) {
  Tensor out;
  out.plan = plan_index_;
  out.value = value_index_;
  out.scalar_type = tensor.scalar_type();
  out.dims = static_cast<uint32_t>(out_.sizes.size());
  const int dynamism = tensor.shape_dynamism();
  if (!extra_info(tensor, path, out) ||
      !demand(scalar_row(out.scalar_type) != nullptr, "PARSE.dtype", Code::InvalidProgram,
              Path{&path, "scalar_type"}, int{out.scalar_type}, "must be a scalar type, 0 to 29") ||
      !demand(dynamism >= 0 && dynamism <= wire::TensorShapeDynamism_MAX, "PARSE.enum-range",
              Code::InvalidProgram, Path{&path, "shape_dynamism"}, dynamism,
              "must be STATIC (0), DYNAMIC_BOUND (1) or DYNAMIC_UNBOUND (2)")) {
    return false;
  }
  out.dynamism = static_cast<Dynamism>(dynamism);
  const bool no_bound = out.dynamism == Dynamism::unbounded;
  const bool can_grow = options_.mode == Mode::aten && out.device.type == wire::DeviceType_CPU;
  if (!demand(!no_bound || can_grow, "PARSE.unbound", Code::NotSupported,
              Path{&path, "shape_dynamism"}, dynamism,
              "without a bound needs at::Tensor and host memory") ||
      !demand(tensor.storage_offset() == 0, "PARSE.storage-offset", Code::NotSupported,
              Path{&path, "storage_offset"}, tensor.storage_offset(), "must be 0") ||
      !shape(tensor, path, out) || !place(tensor, path, out)) {
    return false;
  }
  if (options_.sabotage != nullptr && !options_.sabotage->touch(out_, out)) {
    return refuse("PARSE.sabotage", Code::InvalidProgram, path, Value("tensor"), "was refused");
  }
  out_.tensors.push_back(out);
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

bool Checker::extra_info(const wire::Tensor& tensor, const Path& path, Tensor& out) {
  const wire::ExtraTensorInfo* extra = tensor.extra_tensor_info();
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

bool Checker::shape(const wire::Tensor& tensor, const Path& path, Tensor& out) {
  const auto* sizes = tensor.sizes();
  const Path sizes_path{&path, "sizes"};
  if (!demand(sizes != nullptr, "PARSE.sizes", Code::InvalidProgram, sizes_path, "null",
              "must be there, if empty") ||
      !demand(tensor.dim_order() != nullptr, "PARSE.sizes", Code::InvalidProgram,
              Path{&path, "dim_order"}, "null", "must be there, if empty")) {
    return false;
  }
  if (sizes == nullptr || tensor.dim_order() == nullptr) return true;
  if (!demand(sizes->size() <= Limits::rank, "PARSE.sizes", Code::InvalidProgram, sizes_path,
              sizes->size(), "dimensions: exceeds the limit `rank` of 16") ||
      !demand(tensor.dim_order()->size() == sizes->size(), "PARSE.sizes", Code::InvalidProgram,
              Path{&path, "dim_order"}, tensor.dim_order()->size(),
              "dimensions: must be as many as there are sizes")) {
    return false;
  }
  out.rank = static_cast<uint8_t>(sizes->size());
  uint64_t bytes = element_bytes(out.scalar_type);
  bool overflow = false;
  bool empty = false;
  const bool aten_input = options_.mode == Mode::aten && out.dynamism != Dynamism::fixed;
  for (uint32_t i = 0; i < out.rank; ++i) {
    const int32_t size = sizes->Get(i);
    if (!demand(size >= 0, aten_input ? "PARSE.aten-negative" : "PARSE.sizes", Code::InvalidProgram,
                Path{&path, "sizes", i}, size, "must not be negative")) {
      return false;
    }
    empty = empty || size == 0;
    overflow = __builtin_mul_overflow(bytes, static_cast<uint32_t>(size), &bytes) || overflow;
    out_.sizes.push_back(size);
  }
  overflow = overflow || bytes > static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (!demand(!overflow || empty, "PARSE.sizes", Code::InvalidProgram, sizes_path, "product",
              "times the element's bytes must fit 63 bits")) {
    return false;
  }
  out.bytes = empty || out.dynamism == Dynamism::unbounded ? 0 : bytes;
  return dim_order(tensor, path, out) && strides(path, out);
}

bool Checker::dim_order(const wire::Tensor& tensor, const Path& path, Tensor& out) {
  uint32_t seen = 0;
  for (uint32_t i = 0; i < out.rank; ++i) {
    const uint8_t dim = tensor.dim_order()->Get(i);
    const Path here{&path, "dim_order", i};
    if (!demand(dim < out.rank, "PARSE.dim-order", Code::InvalidProgram, here, int{dim},
                "must be less than the rank") ||
        !demand((seen >> (dim % 32) & 1) == 0, "PARSE.dim-order", Code::InvalidProgram, here,
                int{dim}, "must stand only once")) {
      return false;
    }
    seen |= uint32_t{1} << (dim % 32);
    out_.dim_order.push_back(dim);
  }
  return true;
}

// Packed strides in the given order. A size of 0 counts as 1, as the shipped runtime does it.
bool Checker::strides(const Path& path, Tensor& out) {
  const int64_t limit = options_.mode == Mode::portable ? std::numeric_limits<int32_t>::max()
                                                        : std::numeric_limits<int64_t>::max();
  out_.strides.resize(out.dims + out.rank);
  int64_t stride = 1;
  bool overflow = false;
  for (uint32_t i = out.rank; i-- > 0;) {
    const uint32_t dim = out_.dim_order[out.dims + i];
    if (dim >= out.rank) continue;  // a sabotaged parser came here
    if (!demand(!overflow && stride <= limit, "PARSE.stride-overflow", Code::InvalidProgram,
                Path{&path, "sizes"}, "stride of dimension " + std::to_string(dim),
                options_.mode == Mode::portable ? "must fit 32 bits" : "must fit 64 bits")) {
      return false;
    }
    out_.strides[out.dims + dim] = stride;
    const int64_t size = out_.sizes[out.dims + dim];
    overflow = __builtin_mul_overflow(stride, size == 0 ? 1 : size, &stride) || overflow;
  }
  return true;
}

bool Checker::place(const wire::Tensor& tensor, const Path& path, Tensor& out) {
  const wire::AllocationDetails* allocation = tensor.allocation_info();
  if (allocation != nullptr && !planned(*allocation, Path{&path, "allocation_info"}, out)) {
    return false;
  }
  if (out.where == Where::external) return true;
  const uint32_t index = tensor.data_buffer_idx();
  const Path index_path{&path, "data_buffer_idx"};
  if (allocation == nullptr) {
    if (index == 0) return true;
    out.where = Where::constant;
    return constant_at(program_->constant_segment(), index, index_path, out);
  }
  out.where = index == 0 ? Where::planned : Where::initial;
  if (index == 0) return true;
  const auto* tables = program_->mutable_data_segments();
  const uint64_t table = tensor.extra_tensor_info() == nullptr
                             ? 0
                             : tensor.extra_tensor_info()->mutable_data_segments_idx();
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
  const uint32_t align =
      scalar_row(out.scalar_type) == nullptr ? 1 : scalar_row(out.scalar_type)->align;
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
  if (!demand(out.offset % align == 0, "PARSE.alignment", Code::InvalidProgram, offset_path,
              out.offset, "must be a multiple of the scalar type's alignment")) {
    return false;
  }
  const bool agrees = out.device.type == buffer.device.type &&
                      (out.device.type == wire::DeviceType_CPU || out.device == buffer.device);
  const Path table{path.up, "extra_tensor_info"};
  return demand(agrees, "PARSE.buffer-agrees", Code::InvalidProgram, table, to_string(out.device),
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
  const uint32_t align =
      scalar_row(out.scalar_type) == nullptr ? 1 : scalar_row(out.scalar_type)->align;
  return demand(out.file_offset % align == 0, "PARSE.alignment", Code::InvalidProgram, index_path,
                index, "names data whose place in the file misaligns the scalar type");
}

}  // namespace aoti_cts::program
