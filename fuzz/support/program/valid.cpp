// See valid.h. Buffers come before the tensors, which take their devices from them.
#include "support/program/valid.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace aoti_cts::fuzz {
namespace {

template <class T>
T pick(Random& random, std::initializer_list<T> from) {
  return from.begin()[random.below(from.size())];
}

template <class T>
void shuffle(std::vector<T>& list, Random& random) {
  for (size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random.below(i)]);
}

// Each place of data in the file has this much behind it.
constexpr uint64_t data_bytes = 64;
constexpr uint64_t data_places = 3;

struct On {
  wire::DeviceType type = wire::DeviceType_CPU;
  int8_t index = 0;
};

class Writer {
 public:
  explicit Writer(Random& random)
      : random_(random), some_external_(random.one_in(4)), some_initial_(random.one_in(3)) {}

  Objects run() {
    Objects out;
    out.program = std::make_unique<wire::ProgramT>();
    program_ = out.program.get();
    data(out);
    for (size_t count = pick<size_t>(random_, {1, 2, 2, 2, 3, 3}); count-- > 0;) method();
    make_plain(*program_);
    return out;
  }

 private:
  /// A segment for constants and one for initial contents, in one table or two.
  void data(Objects& out) {
    out.has_header = out.has_segments = true;
    const uint64_t bytes = data_bytes * data_places;
    out.segments.resize(2 * bytes);
    std::iota(out.segments.begin(), out.segments.end(), uint8_t{1});
    if (random_.one_in(3)) {
      out.header_bytes = 24;  // without the field that says how much lies there
    } else {
      out.data_bytes = out.segments.size();
    }
    for (uint64_t i = 0; i < 2; ++i) {
      program_->segments.push_back(std::make_unique<wire::DataSegmentT>());
      program_->segments.back()->offset = i * bytes;
      program_->segments.back()->size = bytes;
    }
    program_->constant_segment = std::make_unique<wire::SubsegmentOffsetsT>();
    offsets(*program_->constant_segment);
    for (size_t count = 1 + random_.below(2); count-- > 0;) {
      program_->mutable_data_segments.push_back(std::make_unique<wire::SubsegmentOffsetsT>());
      offsets(*program_->mutable_data_segments.back());
    }
  }

  void offsets(wire::SubsegmentOffsetsT& table) {
    table.segment_index = static_cast<uint32_t>(random_.below(2));
    table.offsets = {0};
    for (uint64_t i = 0; i < data_places; ++i) table.offsets.push_back(i * data_bytes);
  }

  void method() {
    auto plan = std::make_unique<wire::ExecutionPlanT>();
    plan_ = plan.get();
    plan->name = program_->execution_plan.empty() ? "forward" : unused_name(*program_);
    buffers();
    for (size_t count = 1 + random_.below(6); count-- > 0;) {
      plan->values.push_back(std::make_unique<wire::EValueT>());
      auto& value = plan->values.back()->val;
      if (random_.one_in(8)) {
        value.Set(wire::IntT());
      } else {
        wire::TensorT one;
        tensor(one);
        value.Set(std::move(one));
      }
    }
    entries();
    for (auto* list : {&plan->inputs, &plan->outputs}) {
      for (size_t count = random_.below(4); count-- > 0;) {
        list->push_back(static_cast<int32_t>(random_.below(plan->values.size())));
      }
    }
    program_->execution_plan.push_back(std::move(plan));
  }

  On device() {
    if (random_.one_in(3)) {
      return {wire::DeviceType_CPU,
              random_.one_in(2) ? int8_t{0} : static_cast<int8_t>(random_.next())};
    }
    return {wire::DeviceType_CUDA, random_.one_in(4)
                                       ? static_cast<int8_t>(random_.below(128))
                                       : pick<int8_t>(random_, {0, 0, 1, 1, 2, 3, 5, 64, 127})};
  }

  void buffers() {
    buffers_.assign(random_.below(5), {});
    for (On& buffer : buffers_) buffer = device();
    plan_->non_const_buffer_sizes.assign(1 + buffers_.size(), 0);
  }

  /// What the list of the buffers' devices has to say, and now and then what it need not.
  void entries() {
    std::vector<size_t> order(buffers_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (random_.one_in(3)) shuffle(order, random_);
    for (const size_t i : order) {
      if (random_.one_in(4)) plan_->non_const_buffer_sizes[i + 1] += random_.below(64);
      if (buffers_[i].type == wire::DeviceType_CPU && !random_.one_in(3)) continue;
      auto entry = std::make_unique<wire::NonConstBufferDeviceT>();
      entry->buffer_idx = static_cast<int32_t>(i + 1);
      entry->device_type = buffers_[i].type;
      entry->device_index = buffers_[i].index;
      plan_->non_const_buffer_device.push_back(std::move(entry));
    }
  }

  void tensor(wire::TensorT& out) {
    const uint64_t bytes = shape(out);
    if (random_.one_in(3)) out.shape_dynamism = wire::TensorShapeDynamism_DYNAMIC_BOUND;
    On on = device();
    const size_t place = random_.below(8);
    if (place < 4 && !buffers_.empty()) {
      on = planned(out, bytes);
      if (some_initial_ && random_.one_in(3) && bytes <= data_bytes) {
        contents(out);
        if (program_->mutable_data_segments.size() > 1 && random_.one_in(2)) {
          extra(out).mutable_data_segments_idx = 1;
        }
      }
    } else if (place == 4 && bytes <= data_bytes) {
      contents(out);
    } else if (place == 5 && some_external_) {
      extra(out).location = wire::TensorDataLocation_EXTERNAL;
      extra(out).fully_qualified_name = pick(random_, {"weight", "layer.0.weight"});
    }
    if (on.type != wire::DeviceType_CPU || random_.one_in(2)) {
      extra(out).device_type = on.type;
      extra(out).device_index = on.index;
    }
    if (random_.one_in(8)) extra(out).fully_qualified_name = "n";
  }

  static wire::ExtraTensorInfoT& extra(wire::TensorT& out) {
    if (!out.extra_tensor_info) out.extra_tensor_info = std::make_unique<wire::ExtraTensorInfoT>();
    return *out.extra_tensor_info;
  }

  /// Few elements, in any rank and any order of dimensions, and the most usual types most often.
  uint64_t shape(wire::TensorT& out) {
    const int8_t type = random_.one_in(2)
                            ? pick<int8_t>(random_, {4, 6, 7, 11})
                            : pick<int8_t>(random_, {0, 1, 2, 3, 5, 12, 13, 14, 15, 16, 17, 22, 23,
                                                     24, 25, 26, 27, 28, 29});
    out.scalar_type = static_cast<wire::ScalarType>(type);
    const size_t rank = random_.one_in(3) ? random_.below(17) : random_.below(5);
    out.sizes.assign(rank, 1);
    uint64_t count = 1;
    for (size_t turn = 0; rank != 0 && turn < 3; ++turn) {
      int32_t& size = out.sizes[random_.below(rank)];
      if (size != 1) continue;
      size = 2 + static_cast<int32_t>(random_.below(3));
      count *= static_cast<uint64_t>(size);
    }
    if (rank != 0 && random_.one_in(6)) count = out.sizes[random_.below(rank)] = 0;
    out.dim_order.resize(rank);
    std::iota(out.dim_order.begin(), out.dim_order.end(), uint8_t{0});
    if (random_.one_in(2)) shuffle(out.dim_order, random_);
    return count * item_bytes(type);
  }

  /// Makes the buffer as large as it has to be. Returns its device.
  On planned(wire::TensorT& out, uint64_t bytes) {
    const size_t i = random_.below(buffers_.size());
    On on = buffers_[i];
    uint64_t offset = 8 * random_.below(3);
    if (on.type == wire::DeviceType_CUDA && random_.one_in(8)) {  // a host has less to give
      offset += uint64_t{1 + random_.below(3)} << 32;
    }
    out.allocation_info = std::make_unique<wire::AllocationDetailsT>();
    out.allocation_info->memory_id = static_cast<uint32_t>(i + 1);
    out.allocation_info->memory_offset_low = static_cast<uint32_t>(offset);
    out.allocation_info->memory_offset_high = static_cast<uint32_t>(offset >> 32);
    int64_t& size = plan_->non_const_buffer_sizes[i + 1];
    size = std::max(size, static_cast<int64_t>(offset + bytes));
    if (on.type == wire::DeviceType_CPU && random_.one_in(4)) {  // which need not be the buffer's
      on.index = static_cast<int8_t>(random_.next());
    }
    return on;
  }

  void contents(wire::TensorT& out) {
    out.data_buffer_idx = static_cast<uint32_t>(1 + random_.below(data_places));
  }

  Random& random_;
  // Per program, so that a parser that goes wrong at any of these is seen with the rest as well.
  bool some_external_;
  bool some_initial_;
  wire::ProgramT* program_ = nullptr;
  wire::ExecutionPlanT* plan_ = nullptr;
  std::vector<On> buffers_;
};

}  // namespace

uint32_t item_bytes(int8_t scalar_type) {
  // By code; the codes that the schema lacks are of no interest here.
  constexpr uint8_t bytes[] = {1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4,
                               2, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1,  1, 2, 4, 8};
  return scalar_type >= 0 && scalar_type < 30 ? bytes[scalar_type] : 1;
}

Objects valid_program(Random& random) { return Writer(random).run(); }

void make_plain(wire::ProgramT& program) {
  for (auto& plan : program.execution_plan) {
    plan->operators.clear();
    plan->delegates.clear();
    plan->chains.clear();
    plan->chains.push_back(std::make_unique<wire::ChainT>());
  }
}

std::string unused_name(const wire::ProgramT& program) {
  for (size_t i = program.execution_plan.size();; ++i) {
    std::string name = "m" + std::to_string(i);
    const auto& plans = program.execution_plan;
    const bool used = std::any_of(plans.begin(), plans.end(),
                                  [&](const auto& plan) { return plan->name == name; });
    if (!used) return name;
  }
}

}  // namespace aoti_cts::fuzz
