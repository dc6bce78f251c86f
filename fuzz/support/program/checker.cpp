// See checker.h.
#include "support/program/checker.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "program_generated.h"

namespace aoti_cts::fuzz {
namespace {

namespace wire = aoti_cts::program::wire;
using program::Device;
using program::Mode;
// Wide enough for any sum or product of two numbers of a file.
__extension__ using Wide = __int128;

/// Thrown for the first rule that a program breaks.
struct Refused {
  const char* rule;
};

void rule(bool holds, const char* text) {
  if (!holds) throw Refused{text};
}

template <class T>
size_t length(const flatbuffers::Vector<T>* list) {
  return list == nullptr ? 0 : list->size();
}

template <class T>
std::vector<T> numbers(const flatbuffers::Vector<T>* list) {
  std::vector<T> all(length(list));
  if (!all.empty()) std::memcpy(all.data(), list->Data(), all.size() * sizeof(T));
  return all;
}

Wide item_bytes(int code) {
  static constexpr int bytes[] = {1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4,
                                  2, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1,  1, 2, 4, 8};
  rule(code >= 0 && code <= 29, "dtype");
  return bytes[code];
}

Wide item_alignment(int code) {
  const bool complex = code >= 8 && code <= 10;
  return item_bytes(code) / (complex ? 2 : 1);
}

class SecondChecker {
 public:
  SecondChecker(const uint8_t* data, size_t size, Mode mode)
      : data_(data), size_(size), mode_(mode) {}

  Reading run() {
    header();
    flatbuffers::Verifier verifier(
        data_, static_cast<size_t>(program_bytes_), 64,
        static_cast<uint32_t>(std::min<Wide>(1'000'000, program_bytes_ / 4)));
    rule(wire::VerifyProgramBuffer(verifier), "verifier");
    program_ = wire::GetProgram(data_);
    data_rules();
    const auto* plans = program_->execution_plan();
    rule(length(plans) >= 1 && length(plans) <= 1024, "number of methods");
    for (const wire::ExecutionPlan* plan : *plans) check(*plan);
    return std::move(reading_);
  }

 private:
  Wide word(size_t at, size_t bytes) const {
    Wide value = 0;
    for (size_t i = bytes; i-- > 0;) value = value * 256 + data_[at + i];
    return value;
  }

  void header() {
    rule(size_ >= 8 && std::memcmp(data_ + 4, "ET12", 4) == 0, "identifier");
    program_bytes_ = static_cast<Wide>(size_);
    if (size_ >= 12 && std::memcmp(data_ + 8, "eh00", 4) == 0) {
      rule(size_ >= 32, "extended header is there");
      const Wide header_bytes = word(12, 4);
      rule(header_bytes >= 24 && 8 + header_bytes <= program_bytes_, "header length");
      const Wide all = program_bytes_;
      program_bytes_ = word(16, 8);
      base_ = word(24, 8);
      rule(8 + header_bytes <= program_bytes_ && program_bytes_ <= all, "program size");
      rule(base_ == 0 || (program_bytes_ <= base_ && base_ <= all), "segment base");
      segment_bytes_ = base_ == 0 ? 0 : all - base_;
      if (header_bytes >= 32) {
        rule(word(32, 8) <= segment_bytes_, "segment data size");
        segment_bytes_ = word(32, 8);
      }
    }
    rule(program_bytes_ <= 0x7ffffffe, "limit of the program's bytes");
    rule(word(0, 4) >= 8 && word(0, 4) + 4 <= program_bytes_, "root");
  }

  void look_at(size_t elements) {
    seen_ += static_cast<Wide>(elements);
    rule(seen_ <= program_bytes_, "elements looked at");
  }

  void data_rules() {
    rule(length(program_->segments()) <= 16384, "number of segments");
    for (size_t i = 0; i < length(program_->segments()); ++i) {
      const auto& segment = *program_->segments()->Get(static_cast<uint32_t>(i));
      rule(Wide{segment.offset()} + segment.size() <= segment_bytes_, "segment in the file");
    }
    const auto* constants = program_->constant_segment();
    rule(constants != nullptr && length(constants->offsets()) >= 1, "retired constants");
    rule(length(constants->offsets()) == 1 || length(program_->constant_buffer()) == 0,
         "two kinds of constants");
    check(*constants);
    rule(length(program_->mutable_data_segments()) <= 16384, "number of tables of initial data");
    for (size_t i = 0; i < length(program_->mutable_data_segments()); ++i) {
      check(*program_->mutable_data_segments()->Get(static_cast<uint32_t>(i)));
    }
    rule(length(program_->named_data()) <= 65536, "number of named data");
    for (size_t i = 0; i < length(program_->named_data()); ++i) {
      const auto& named = *program_->named_data()->Get(static_cast<uint32_t>(i));
      rule(named.key() != nullptr && named.key()->size() > 0, "name of data");
      rule(named.segment_index() < length(program_->segments()), "segment of named data");
    }
  }

  void check(const wire::SubsegmentOffsets& table) {
    const std::vector<uint64_t> offsets = numbers(table.offsets());
    rule(offsets.size() <= 65536, "number of offsets");
    look_at(offsets.size());
    if (offsets.size() <= 1) return;
    rule(table.segment_index() < length(program_->segments()), "segment of offsets");
    const Wide bytes = program_->segments()->Get(table.segment_index())->size();
    for (size_t i = 1; i < offsets.size(); ++i) rule(offsets[i] <= bytes, "offset in its segment");
  }

  Device device(int type, int index) const {
    rule(type == 0 || type == 1, "device type");
    rule(type == 0 || index >= 0, "device index");
    const bool unindexed = type == 0 && mode_ == Mode::aten;
    return {static_cast<int8_t>(type), static_cast<int8_t>(unindexed ? -1 : index)};
  }

  void check(const wire::ExecutionPlan& plan) {
    plan_ = &plan;
    rule(plan.name() != nullptr && plan.name()->size() <= 4096, "name of a method");
    planned_buffers(plan);
    rule(length(plan.values()) <= 65536, "number of values");
    for (size_t i = 0; i < length(plan.values()); ++i) {
      check(*plan.values()->Get(static_cast<uint32_t>(i)));
    }
    for (const auto* list : {plan.inputs(), plan.outputs()}) {
      look_at(length(list));
      for (const int32_t index : numbers(list)) {
        rule(index >= 0 && static_cast<size_t>(index) < length(plan.values()), "input or output");
      }
    }
    for (size_t i = 0; i < length(plan.delegates()); ++i) {
      const auto* data = plan.delegates()->Get(static_cast<uint32_t>(i))->processed();
      rule(data != nullptr, "delegate without data");
      const int location = data->location();
      rule(location == 0 || location == 1, "location of a delegate's data");
      rule(data->index() < (location == 0 ? length(program_->backend_delegate_data())
                                          : length(program_->segments())),
           "index of a delegate's data");
    }
  }

  void planned_buffers(const wire::ExecutionPlan& plan) {
    sizes_ = numbers(plan.non_const_buffer_sizes());
    rule(sizes_.size() <= 4096, "number of buffers");
    look_at(sizes_.size());
    for (const int64_t bytes : sizes_) rule(bytes >= 0, "size of a buffer");
    devices_.assign(std::max<size_t>(sizes_.size(), 1), device(0, 0));
    std::set<int32_t> named;
    for (size_t i = 0; i < length(plan.non_const_buffer_device()); ++i) {
      const auto& entry = *plan.non_const_buffer_device()->Get(static_cast<uint32_t>(i));
      const Device found = device(entry.device_type(), entry.device_index());
      const int32_t index = entry.buffer_idx();
      rule(index >= 1 && static_cast<size_t>(index) < sizes_.size(), "buffer of a device entry");
      rule(named.insert(index).second, "second device entry of a buffer");
      devices_[static_cast<size_t>(index)] = found;
    }
    reading_.buffers.insert(reading_.buffers.end(), devices_.begin() + 1, devices_.end());
  }

  /// Each index names a value of one of the kinds; -1 is allowed where nothing may stand.
  template <class T>
  void refers(const flatbuffers::Vector<T>* list, const std::set<int>& kinds, bool nothing) {
    rule(list != nullptr, "list without items");
    look_at(list->size());
    for (const T index : numbers(list)) {
      if (nothing && index == -1) continue;
      rule(index >= 0 && static_cast<uint64_t>(index) < length(plan_->values()), "index in a list");
      const int kind = plan_->values()->Get(static_cast<uint32_t>(index))->val_type();
      rule(kinds.count(kind) == 1, "kind of a value in a list");
    }
  }

  void check(const wire::EValue& value) {
    const int kind = value.val_type();
    if (kind == wire::KernelTypes_Null) return;
    rule(kind >= 1 && kind <= 11, "kind of a value");
    rule(value.val() != nullptr, "value without content");
    if (const auto* tensor = value.val_as_Tensor()) check(*tensor);
    if (const auto* text = value.val_as_String()) rule(text->string_val() != nullptr, "no text");
    if (const auto* list = value.val_as_IntList()) {
      refers(list->items(), {wire::KernelTypes_Int}, false);
    }
    if (const auto* list = value.val_as_DoubleList()) rule(list->items() != nullptr, "no doubles");
    if (const auto* list = value.val_as_BoolList()) rule(list->items() != nullptr, "no bools");
    if (const auto* list = value.val_as_TensorList()) {
      refers(list->items(), {wire::KernelTypes_Tensor}, false);
    }
    if (const auto* list = value.val_as_OptionalTensorList()) {
      refers(list->items(), {wire::KernelTypes_Tensor, wire::KernelTypes_Null}, true);
    }
  }

  void check(const wire::Tensor& tensor) {
    const auto* extra = tensor.extra_tensor_info();
    const Device on =
        extra == nullptr ? device(0, 0) : device(extra->device_type(), extra->device_index());
    const auto* name = extra == nullptr ? nullptr : extra->fully_qualified_name();
    rule(name == nullptr || name->size() <= 4096, "name of a tensor");
    const int location = extra == nullptr ? 0 : extra->location();
    rule(location == 0 || location == 1, "location of a tensor");
    rule(location == 0 || (name != nullptr && name->size() > 0), "external without a name");
    const int dynamism = tensor.shape_dynamism();
    rule(dynamism >= 0 && dynamism <= 2, "dynamism");
    rule(dynamism != 2 || (mode_ == Mode::aten && on.type == 0), "unbound");
    rule(tensor.storage_offset() == 0, "storage offset");
    const Wide bytes = shape(tensor);
    const bool external = location == 1;
    place(tensor, dynamism == 2 ? 0 : bytes, on, external);
    reading_.tensors.push_back(on);
  }

  /// Bytes of a tensor.
  Wide shape(const wire::Tensor& tensor) {
    const Wide item = item_bytes(tensor.scalar_type());
    rule(tensor.sizes() != nullptr && tensor.dim_order() != nullptr, "no sizes or no order");
    const std::vector<int32_t> sizes = numbers(tensor.sizes());
    const std::vector<uint8_t> order = numbers(tensor.dim_order());
    rule(sizes.size() <= 16 && order.size() == sizes.size(), "rank");
    for (const int32_t size : sizes) rule(size >= 0, "negative size");
    const bool empty = std::count(sizes.begin(), sizes.end(), 0) != 0;
    constexpr Wide most = INT64_MAX;
    Wide bytes = item;
    for (const int32_t size : sizes) bytes = std::min(bytes * size, most + 1);
    rule(empty || bytes <= most, "product of the sizes");
    std::vector<uint8_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < sorted.size(); ++i) rule(sorted[i] == i, "order of the dimensions");
    const Wide widest = mode_ == Mode::portable ? Wide{INT32_MAX} : most;
    Wide stride = 1;
    for (size_t i = order.size(); i-- > 0;) {
      rule(stride <= widest, "stride");
      stride = std::min(stride * std::max(sizes[order[i]], 1), most + 1);
    }
    return empty ? 0 : bytes;
  }

  void place(const wire::Tensor& tensor, Wide bytes, Device on, bool external) {
    const Wide align = item_alignment(tensor.scalar_type());
    const auto* planned = tensor.allocation_info();
    if (planned != nullptr) {
      const uint32_t id = planned->memory_id();
      rule(id >= 1 && id < sizes_.size(), "buffer of a tensor");
      const Wide offset =
          (Wide{planned->memory_offset_high()} << 32) + planned->memory_offset_low();
      rule(offset + bytes <= sizes_[id], "tensor in its buffer");
      rule(offset % align == 0, "alignment in its buffer");
      rule(on.type == devices_[id].type && (on.type == 0 || on.index == devices_[id].index),
           "device of tensor and buffer");
    }
    const uint32_t index = tensor.data_buffer_idx();
    if (external || index == 0) return;
    const wire::SubsegmentOffsets* table = program_->constant_segment();
    if (planned != nullptr) {
      const auto* extra = tensor.extra_tensor_info();
      const uint64_t number = extra == nullptr ? 0 : extra->mutable_data_segments_idx();
      rule(number < length(program_->mutable_data_segments()), "table of initial data");
      table = program_->mutable_data_segments()->Get(static_cast<uint32_t>(number));
    }
    const std::vector<uint64_t> offsets = numbers(table->offsets());
    rule(index < offsets.size(), "constant");
    const auto& segment = *program_->segments()->Get(table->segment_index());
    rule(Wide{offsets[index]} + bytes <= segment.size(), "constant in its segment");
    rule((base_ + segment.offset() + offsets[index]) % align == 0, "alignment in the file");
  }

  const uint8_t* data_;
  size_t size_;
  Mode mode_;
  const wire::Program* program_ = nullptr;
  const wire::ExecutionPlan* plan_ = nullptr;
  Wide program_bytes_ = 0;
  Wide base_ = 0;
  Wide segment_bytes_ = 0;
  Wide seen_ = 0;
  std::vector<int64_t> sizes_;   // of the method's buffers; entry 0 is reserved
  std::vector<Device> devices_;  // likewise
  Reading reading_;
};

}  // namespace

const char* check(const uint8_t* data, size_t size, Mode mode, Reading& out) {
  try {
    out = SecondChecker(data, size, mode).run();
    return nullptr;
  } catch (const Refused& refused) {
    return refused.rule;
  }
}

}  // namespace aoti_cts::fuzz
