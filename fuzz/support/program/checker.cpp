// See checker.h.
#include "support/program/checker.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "program_generated.h"

// The rules read as a list: the first that does not hold is what a function returns. Exceptions
// would read as well, and cost more than all the rest under AddressSanitizer.
#define RULE(holds, text)      \
  do {                         \
    if (!(holds)) return text; \
  } while (false)
#define PART(call)                                                      \
  do {                                                                  \
    if (const Broken broken = (call); broken != nullptr) return broken; \
  } while (false)

namespace aoti_cts::fuzz {
namespace {

namespace wire = aoti_cts::program::wire;
using program::Device;
using program::Mode;
// Wide enough for any sum or product of two numbers of a file.
__extension__ using Wide = unsigned __int128;
/// The text of the first rule that is broken, or null.
using Broken = const char*;

template <class T>
size_t length(const flatbuffers::Vector<T>* list) {
  return list == nullptr ? 0 : list->size();
}

/// A list of numbers, which may be misaligned in the file.
template <class T>
class Numbers {
 public:
  explicit Numbers(const flatbuffers::Vector<T>* list = nullptr)
      : at_(list == nullptr ? nullptr : list->Data()), size_(length(list)) {}
  size_t size() const { return size_; }
  T operator[](size_t i) const {
    T number;
    std::memcpy(&number, at_ + i * sizeof(T), sizeof(T));
    return number;
  }

 private:
  const uint8_t* at_;
  size_t size_;
};

constexpr Wide item_bytes[] = {1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4,
                               2, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1,  1, 2, 4, 8};

Wide item_alignment(int code) {
  const bool complex = code >= 8 && code <= 10;
  return item_bytes[code] / (complex ? 2 : 1);
}

class SecondChecker {
 public:
  Broken run(const uint8_t* data, size_t size, Mode mode, Structure structure, Reading& reading) {
    data_ = data;
    size_ = size;
    mode_ = mode;
    base_ = segment_bytes_ = seen_ = 0;
    reading_ = &reading;
    PART(header());
    if (structure == Structure::unknown) PART(verify());
    program_ = wire::GetProgram(data_);
    segments_ = program_->segments();
    PART(segments());
    PART(constants());
    PART(named_data());
    const auto* plans = program_->execution_plan();
    RULE(length(plans) >= 1 && length(plans) <= 1024, "number of methods");
    for (const wire::ExecutionPlan* plan : *plans) PART(check(*plan));
    return nullptr;
  }

 private:
  Wide word(size_t at, size_t bytes) const {
    uint64_t value = 0;
    for (size_t i = bytes; i-- > 0;) value = value << 8 | data_[at + i];
    return value;
  }

  Broken verify() {
    flatbuffers::Verifier verifier(
        data_, static_cast<size_t>(program_bytes_), 64,
        static_cast<uint32_t>(std::min<Wide>(1'000'000, program_bytes_ / 4)));
    RULE(wire::VerifyProgramBuffer(verifier), "verifier");
    return nullptr;
  }

  Broken header() {
    RULE(size_ >= 8 && word(4, 4) == 0x32315445, "identifier");  // ET12
    program_bytes_ = static_cast<Wide>(size_);
    if (size_ >= 12 && word(8, 4) == 0x30306865) {  // eh00
      RULE(size_ >= 32, "extended header is there");
      const Wide header_bytes = word(12, 4);
      RULE(header_bytes >= 24 && 8 + header_bytes <= program_bytes_, "header length");
      const Wide all = program_bytes_;
      program_bytes_ = word(16, 8);
      base_ = word(24, 8);
      RULE(8 + header_bytes <= program_bytes_ && program_bytes_ <= all, "program size");
      RULE(base_ == 0 || (program_bytes_ <= base_ && base_ <= all), "segment base");
      segment_bytes_ = base_ == 0 ? 0 : all - base_;
      if (header_bytes >= 32) {
        RULE(word(32, 8) <= segment_bytes_, "segment data size");
        segment_bytes_ = word(32, 8);
      }
    }
    RULE(program_bytes_ <= 0x7ffffffe, "limit of the program's bytes");
    RULE(word(0, 4) >= 8 && word(0, 4) + 4 <= program_bytes_, "root");
    return nullptr;
  }

  Broken look_at(size_t elements) {
    seen_ += elements;
    RULE(seen_ <= program_bytes_, "elements looked at");
    return nullptr;
  }

  Broken segments() {
    RULE(length(segments_) <= 16384, "number of segments");
    for (size_t i = 0; i < length(segments_); ++i) {
      const auto& segment = *segments_->Get(static_cast<uint32_t>(i));
      RULE(Wide{segment.offset()} + segment.size() <= segment_bytes_, "segment in the file");
    }
    return nullptr;
  }

  Broken constants() {
    const auto* constants = program_->constant_segment();
    RULE(constants != nullptr && length(constants->offsets()) >= 1, "retired constants");
    RULE(length(constants->offsets()) == 1 || length(program_->constant_buffer()) == 0,
         "two kinds of constants");
    PART(check(*constants));
    const auto* initial = program_->mutable_data_segments();
    RULE(length(initial) <= 16384, "number of tables of initial data");
    for (size_t i = 0; i < length(initial); ++i) {
      PART(check(*initial->Get(static_cast<uint32_t>(i))));
    }
    return nullptr;
  }

  Broken named_data() {
    const auto* all = program_->named_data();
    RULE(length(all) <= 65536, "number of named data");
    for (size_t i = 0; i < length(all); ++i) {
      const auto& named = *all->Get(static_cast<uint32_t>(i));
      RULE(named.key() != nullptr && named.key()->size() > 0, "name of data");
      RULE(named.segment_index() < length(segments_), "segment of named data");
    }
    return nullptr;
  }

  Broken check(const wire::SubsegmentOffsets& table) {
    const Numbers<uint64_t> offsets(table.offsets());
    RULE(offsets.size() <= 65536, "number of offsets");
    PART(look_at(offsets.size()));
    if (offsets.size() <= 1) return nullptr;
    RULE(table.segment_index() < length(segments_), "segment of offsets");
    const Wide bytes = segments_->Get(table.segment_index())->size();
    for (size_t i = 1; i < offsets.size(); ++i) RULE(offsets[i] <= bytes, "offset in its segment");
    return nullptr;
  }

  Broken device(int type, int index, Device& out) const {
    RULE(type == 0 || type == 1, "device type");
    RULE(type == 0 || index >= 0, "device index");
    const bool unindexed = type == 0 && mode_ == Mode::aten;
    out = {static_cast<int8_t>(type), static_cast<int8_t>(unindexed ? -1 : index)};
    return nullptr;
  }

  Broken check(const wire::ExecutionPlan& plan) {
    values_ = plan.values();
    RULE(plan.name() != nullptr && plan.name()->size() <= 4096, "name of a method");
    PART(planned_buffers(plan));
    RULE(length(values_) <= 65536, "number of values");
    for (size_t i = 0; i < length(values_); ++i) {
      PART(check(*values_->Get(static_cast<uint32_t>(i))));
    }
    for (const auto* list : {plan.inputs(), plan.outputs()}) {
      PART(look_at(length(list)));
      const Numbers<int32_t> indexes(list);
      for (size_t i = 0; i < indexes.size(); ++i) {
        RULE(indexes[i] >= 0 && static_cast<size_t>(indexes[i]) < length(values_),
             "input or output");
      }
    }
    return delegates(plan);
  }

  Broken delegates(const wire::ExecutionPlan& plan) const {
    const auto* all = plan.delegates();
    for (size_t i = 0; i < length(all); ++i) {
      const auto* data = all->Get(static_cast<uint32_t>(i))->processed();
      RULE(data != nullptr, "delegate without data");
      const int location = data->location();
      RULE(location == 0 || location == 1, "location of a delegate's data");
      RULE(data->index() <
               (location == 0 ? length(program_->backend_delegate_data()) : length(segments_)),
           "index of a delegate's data");
    }
    return nullptr;
  }

  Broken planned_buffers(const wire::ExecutionPlan& plan) {
    sizes_ = Numbers(plan.non_const_buffer_sizes());
    RULE(sizes_.size() <= 4096, "number of buffers");
    PART(look_at(sizes_.size()));
    for (size_t i = 0; i < sizes_.size(); ++i) RULE(sizes_[i] >= 0, "size of a buffer");
    Device host;
    PART(device(0, 0, host));
    devices_.assign(std::max<size_t>(sizes_.size(), 1), host);
    named_.assign(devices_.size(), false);
    const auto* entries = plan.non_const_buffer_device();
    for (size_t i = 0; i < length(entries); ++i) {
      const auto& entry = *entries->Get(static_cast<uint32_t>(i));
      Device found;
      PART(device(entry.device_type(), entry.device_index(), found));
      const int32_t index = entry.buffer_idx();
      RULE(index >= 1 && static_cast<size_t>(index) < sizes_.size(), "buffer of a device entry");
      const auto buffer = static_cast<size_t>(index);
      RULE(!named_[buffer], "second device entry of a buffer");
      named_[buffer] = true;
      devices_[buffer] = found;
    }
    reading_->buffers.insert(reading_->buffers.end(), devices_.begin() + 1, devices_.end());
    return nullptr;
  }

  /// Each index names a value of one of two kinds; -1 is allowed where nothing may stand.
  template <class T>
  Broken refers(const flatbuffers::Vector<T>* list, int kind, int other, bool nothing) {
    RULE(list != nullptr, "list without items");
    PART(look_at(list->size()));
    const Numbers<T> indexes(list);
    for (size_t i = 0; i < indexes.size(); ++i) {
      const int64_t index = indexes[i];
      if (nothing && index == -1) continue;
      RULE(index >= 0 && static_cast<uint64_t>(index) < length(values_), "index in a list");
      const int found = values_->Get(static_cast<uint32_t>(index))->val_type();
      RULE(found == kind || found == other, "kind of a value in a list");
    }
    return nullptr;
  }

  Broken check(const wire::EValue& value) {
    const int kind = value.val_type();
    if (kind == wire::KernelTypes_Null) return nullptr;
    RULE(kind >= 1 && kind <= 11, "kind of a value");
    RULE(value.val() != nullptr, "value without content");
    switch (kind) {
      case wire::KernelTypes_Tensor:
        return check(*value.val_as_Tensor());
      case wire::KernelTypes_String:
        RULE(value.val_as_String()->string_val() != nullptr, "no text");
        return nullptr;
      case wire::KernelTypes_DoubleList:
        RULE(value.val_as_DoubleList()->items() != nullptr, "no doubles");
        return nullptr;
      case wire::KernelTypes_BoolList:
        RULE(value.val_as_BoolList()->items() != nullptr, "no bools");
        return nullptr;
      case wire::KernelTypes_IntList:
        return refers(value.val_as_IntList()->items(), wire::KernelTypes_Int, wire::KernelTypes_Int,
                      false);
      case wire::KernelTypes_TensorList:
        return refers(value.val_as_TensorList()->items(), wire::KernelTypes_Tensor,
                      wire::KernelTypes_Tensor, false);
      case wire::KernelTypes_OptionalTensorList:
        return refers(value.val_as_OptionalTensorList()->items(), wire::KernelTypes_Tensor,
                      wire::KernelTypes_Null, true);
      default:
        return nullptr;
    }
  }

  Broken check(const wire::Tensor& tensor) {
    const auto* extra = tensor.extra_tensor_info();
    Device on;
    PART(extra == nullptr ? device(0, 0, on)
                          : device(extra->device_type(), extra->device_index(), on));
    const auto* name = extra == nullptr ? nullptr : extra->fully_qualified_name();
    RULE(name == nullptr || name->size() <= 4096, "name of a tensor");
    const int location = extra == nullptr ? 0 : extra->location();
    RULE(location == 0 || location == 1, "location of a tensor");
    RULE(location == 0 || (name != nullptr && name->size() > 0), "external without a name");
    const int dynamism = tensor.shape_dynamism();
    RULE(dynamism >= 0 && dynamism <= 2, "dynamism");
    RULE(dynamism != 2 || (mode_ == Mode::aten && on.type == 0), "unbound");
    RULE(tensor.storage_offset() == 0, "storage offset");
    Wide bytes = 0;
    PART(shape(tensor, bytes));
    if (dynamism == 2) bytes = 0;
    if (tensor.allocation_info() != nullptr) PART(planned(tensor, bytes, on));
    if (location == 0 && tensor.data_buffer_idx() != 0) PART(constant(tensor, bytes));
    reading_->tensors.push_back(on);
    return nullptr;
  }

  /// @param bytes  of the tensor
  Broken shape(const wire::Tensor& tensor, Wide& bytes) const {
    const int code = tensor.scalar_type();
    RULE(code >= 0 && code <= 29, "dtype");
    RULE(tensor.sizes() != nullptr && tensor.dim_order() != nullptr, "no sizes or no order");
    const Numbers<int32_t> sizes(tensor.sizes());
    RULE(sizes.size() <= 16 && tensor.dim_order()->size() == sizes.size(), "rank");
    constexpr Wide most = INT64_MAX;
    bytes = item_bytes[code];
    for (size_t i = 0; i < sizes.size(); ++i) {
      RULE(sizes[i] >= 0, "negative size");
      // Once too many they stay too many, unless a size of 0 follows.
      bytes = std::min(bytes * static_cast<uint32_t>(sizes[i]), most + 1);
    }
    RULE(bytes <= most, "product of the sizes");
    return strides(sizes, Numbers<uint8_t>(tensor.dim_order()));
  }

  Broken strides(const Numbers<int32_t>& sizes, const Numbers<uint8_t>& order) const {
    std::array<bool, 16> there{};
    constexpr Wide most = INT64_MAX;
    const Wide widest = mode_ == Mode::portable ? Wide{INT32_MAX} : most;
    Wide stride = 1;
    for (size_t i = order.size(); i-- > 0;) {
      const uint8_t dim = order[i];
      RULE(dim < order.size() && !there[dim], "order of the dimensions");
      there[dim] = true;
      RULE(stride <= widest, "stride");
      stride = std::min(stride * static_cast<uint32_t>(std::max(sizes[dim], 1)), most + 1);
    }
    return nullptr;
  }

  Broken planned(const wire::Tensor& tensor, Wide bytes, Device on) const {
    const auto& at = *tensor.allocation_info();
    const uint32_t id = at.memory_id();
    RULE(id >= 1 && id < sizes_.size(), "buffer of a tensor");
    const Wide offset = (Wide{at.memory_offset_high()} << 32) + at.memory_offset_low();
    RULE(offset + bytes <= static_cast<Wide>(sizes_[id]), "tensor in its buffer");
    RULE(offset % item_alignment(tensor.scalar_type()) == 0, "alignment in its buffer");
    RULE(on.type == devices_[id].type && (on.type == 0 || on.index == devices_[id].index),
         "device of tensor and buffer");
    return nullptr;
  }

  Broken constant(const wire::Tensor& tensor, Wide bytes) const {
    const wire::SubsegmentOffsets* table = program_->constant_segment();
    if (tensor.allocation_info() != nullptr) {
      const auto* extra = tensor.extra_tensor_info();
      const uint64_t number = extra == nullptr ? 0 : extra->mutable_data_segments_idx();
      RULE(number < length(program_->mutable_data_segments()), "table of initial data");
      table = program_->mutable_data_segments()->Get(static_cast<uint32_t>(number));
    }
    const Numbers<uint64_t> offsets(table->offsets());
    const uint32_t index = tensor.data_buffer_idx();
    RULE(index < offsets.size(), "constant");
    const auto& segment = *segments_->Get(table->segment_index());
    RULE(Wide{offsets[index]} + bytes <= segment.size(), "constant in its segment");
    const Wide place = base_ + segment.offset() + offsets[index];
    RULE(place % item_alignment(tensor.scalar_type()) == 0, "alignment in the file");
    return nullptr;
  }

  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
  Mode mode_ = Mode::portable;
  const wire::Program* program_ = nullptr;
  const flatbuffers::Vector<flatbuffers::Offset<wire::DataSegment>>* segments_ = nullptr;
  const flatbuffers::Vector<flatbuffers::Offset<wire::EValue>>* values_ = nullptr;
  Wide program_bytes_ = 0;
  Wide base_ = 0;
  Wide segment_bytes_ = 0;
  Wide seen_ = 0;
  Numbers<int64_t> sizes_;       // of the method's buffers; entry 0 is reserved
  std::vector<Device> devices_;  // likewise
  std::vector<bool> named_;      // likewise: has a device entry
  Reading* reading_ = nullptr;
};

}  // namespace

const char* check(const uint8_t* data, size_t size, Mode mode, Structure structure, Reading& out) {
  static thread_local SecondChecker checker;  // for its lists' memory
  out.tensors.clear();
  out.buffers.clear();
  return checker.run(data, size, mode, structure, out);
}

}  // namespace aoti_cts::fuzz
