// See reduce.h. Greedy: each simplification that keeps the finding is kept, until none does.
#include "support/program/reduce.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "support/program/objects.h"

namespace aoti_cts::fuzz {
namespace {

/// Called with the number of the simplification that is to be made; false behind the last one.
/// Numbers count over everything that the program has, so they are tried one after another.
class Simplify {
 public:
  explicit Simplify(size_t number) : rest_(number) {}

  bool run(Objects& o) {
    wire::ProgramT& p = *o.program;
    drop_each(p.execution_plan, 1);
    drop_each(p.mutable_data_segments);
    drop_each(p.named_data);
    drop_each(p.backend_delegate_data);
    drop_each(p.constant_buffer);
    drop_each(p.segments);
    take([&] { o.segments.resize(o.segments.size() / 2); }, !o.segments.empty());
    take([&] { o.has_header = false; }, o.has_header);
    take([&] { o.data_bytes.reset(); }, o.data_bytes.has_value());
    set(p.version);
    if (p.constant_segment) shorten(p.constant_segment->offsets, 1);
    for (auto& plan : p.execution_plan) method(*plan);
    return done_;
  }

 private:
  template <class F>
  void take(F&& change, bool applies) {
    if (done_ || !applies) return;
    if (rest_ != 0) {
      --rest_;
      return;
    }
    change();
    done_ = true;
  }
  template <class T>
  void set(T& field, T to = T{}) {
    take([&] { field = to; }, field != to);
  }
  template <class T>
  void drop_each(std::vector<T>& list, size_t keep = 0) {
    for (size_t i = 0; i < list.size() && list.size() > keep && !done_; ++i) {
      take([&] { list.erase(list.begin() + static_cast<std::ptrdiff_t>(i)); }, true);
    }
  }
  template <class T>
  void shorten(std::vector<T>& list, size_t keep = 0) {
    take([&] { list.resize(std::max(keep, list.size() / 2)); }, list.size() > keep);
    drop_each(list, keep);
    for (size_t i = 0; i < list.size(); ++i) {
      if (!done_) set(list[i]);
    }
  }

  void method(wire::ExecutionPlanT& plan) {
    drop_each(plan.values);
    drop_each(plan.delegates);
    drop_each(plan.operators);
    drop_each(plan.chains);
    drop_each(plan.non_const_buffer_device);
    shorten(plan.inputs);
    shorten(plan.outputs);
    shorten(plan.non_const_buffer_sizes);
    take([&] { plan.container_meta_type.reset(); }, plan.container_meta_type != nullptr);
    take([&] { plan.name = "m"; }, plan.name.size() > 1);
    for (auto& value : plan.values) {
      if (auto* tensor = value->val.AsTensor()) reduce(*tensor);
      if (auto* list = value->val.AsIntList()) shorten(list->items);
      if (auto* list = value->val.AsTensorList()) shorten(list->items);
      if (auto* list = value->val.AsOptionalTensorList()) shorten(list->items);
    }
    for (auto& entry : plan.non_const_buffer_device) {
      set(entry->device_index);
      set(entry->device_type);
    }
  }

  void reduce(wire::TensorT& tensor) {
    take([&] { tensor.extra_tensor_info.reset(); }, tensor.extra_tensor_info != nullptr);
    take([&] { tensor.allocation_info.reset(); }, tensor.allocation_info != nullptr);
    take(
        [&] {
          tensor.sizes.clear();
          tensor.dim_order.clear();
        },
        !tensor.sizes.empty());
    set(tensor.data_buffer_idx);
    set(tensor.storage_offset);
    set(tensor.shape_dynamism);
    set(tensor.layout);
    set(tensor.requires_grad);
    set(tensor.scalar_type);
    if (auto* extra = tensor.extra_tensor_info.get()) {
      set(extra->mutable_data_segments_idx);
      take([&] { extra->fully_qualified_name.clear(); }, !extra->fully_qualified_name.empty());
      set(extra->location);
      set(extra->device_index);
      set(extra->device_type);
    }
    if (auto* place = tensor.allocation_info.get()) {
      set(place->memory_offset_high);
      set(place->memory_offset_low);
    }
  }

  size_t rest_;
  bool done_ = false;
};

class Reducer {
 public:
  Reducer(std::vector<uint8_t> file, const Shows& shows, size_t most)
      : file_(std::move(file)), shows_(shows), rest_(most) {}

  std::vector<uint8_t> run() {
    by_words();
    by_bytes();
    return std::move(file_);
  }

 private:
  bool keep(std::vector<uint8_t> other) {
    if (rest_ == 0) return false;
    --rest_;
    if (other == file_ || !shows_(other)) return false;
    file_ = std::move(other);
    return true;
  }

  void by_words() {
    for (bool progress = true; progress && rest_ != 0;) {
      progress = false;
      for (size_t number = 0; rest_ != 0; ++number) {
        auto objects = unpack(file_.data(), file_.size());
        if (!objects || !Simplify(number).run(*objects)) break;
        while (keep(pack(*objects))) {
          progress = true;
          objects = unpack(file_.data(), file_.size());
          if (!objects || !Simplify(number).run(*objects)) break;
        }
      }
    }
  }

  /// Cuts the end, then clears blocks of bytes that do not matter.
  void by_bytes() {
    for (size_t block = file_.size() / 2; block != 0; block /= 2) {
      while (file_.size() > block &&
             keep({file_.begin(), file_.end() - static_cast<long>(block)})) {
      }
    }
    for (size_t block = 64; block != 0 && rest_ != 0; block /= 4) {
      for (size_t at = 0; at + block <= file_.size() && rest_ != 0; at += block) {
        std::vector<uint8_t> other = file_;
        std::fill_n(other.begin() + static_cast<long>(at), block, uint8_t{0});
        keep(std::move(other));
      }
    }
  }

  std::vector<uint8_t> file_;
  const Shows& shows_;
  size_t rest_;
};

}  // namespace

std::vector<uint8_t> reduce_program(const std::vector<uint8_t>& file, const Shows& shows,
                                    size_t most_tries) {
  return Reducer(file, shows, most_tries).run();
}

}  // namespace aoti_cts::fuzz
