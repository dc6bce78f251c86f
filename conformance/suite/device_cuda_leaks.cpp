// DEV.no-leak: what the shims take from CUDA they give back.
//
// Run alone: aoti-cts check --virtual-cuda --profile cuda --select DEV.no-leak; success prints one
// PASS line.
//
// A runtime may keep memory, streams and events for its next call, and how many it keeps is its own
// affair. So each scenario runs over and over, and only what grows in every round counts: a cache
// serves itself after a while, a leak never does. Small tensors show a leak of any size where
// memory comes straight from CUDA; those of 12 MiB show it through an allocator that cuts its
// tensors out of blocks, too.
#include <array>

#include "suite/cuda.h"
#include "suite/tensor_makers.h"

namespace aoti_cts::suite {
namespace {

constexpr int warm_up_rounds = 2;
constexpr int rounds = 6;

const Geometry& small() {
  static const Geometry geometry{"", {4, 6}, {6, 1}, 0};
  return geometry;
}

const Geometry& large() {
  static const Geometry geometry{"", {3, 1 << 20}, {1 << 20, 1}, 0};  // 12 MiB of float32
  return geometry;
}

struct Kind {
  const char* name;
  int64_t aoti_cts_vcuda_live::*count;
};

constexpr Kind kinds[] = {
    {"device allocations", &aoti_cts_vcuda_live::device_allocations},
    {"page-locked allocations", &aoti_cts_vcuda_live::pinned_allocations},
    {"managed allocations", &aoti_cts_vcuda_live::managed_allocations},
    {"registered host ranges", &aoti_cts_vcuda_live::registered_ranges},
    {"streams", &aoti_cts_vcuda_live::streams},
    {"events", &aoti_cts_vcuda_live::events},
};

/// What is alive once all devices are at rest.
aoti_cts_vcuda_live at_rest(Case& c) {
  for (int32_t index = 0; index < device_count(c); ++index) {
    const OnDevice scope(c, index);
    cuda(c).cudaDeviceSynchronize();
  }
  return live(c);
}

/// Runs a scenario until it grows no more, or fails the case where it always does.
template <class Scenario>
void no_growth(Case& c, Scenario&& scenario) {
  for (int round = 0; round < warm_up_rounds; ++round) scenario();
  std::array<aoti_cts_vcuda_live, rounds + 1> alive{};
  uint64_t last_round = 0;
  alive[0] = at_rest(c);
  for (std::size_t round = 1; round <= rounds; ++round) {
    last_round = virtual_cuda(c).call_count();
    scenario();
    alive[round] = at_rest(c);
  }
  bool grown = false;
  for (const Kind& kind : kinds) {
    std::vector<int64_t> counts;
    bool always = true;
    for (std::size_t round = 0; round <= rounds; ++round) {
      counts.push_back(alive[round].*kind.count);
      always = always && (round == 0 || counts[round] > counts[round - 1]);
    }
    if (always) {
      c.fail(fmt::format("{} alive after the same calls over and over", kind.name), show(counts),
             "no more after one round than before it");
    } else {
      c.judge(always, false, fmt::format("{} grow in every round", kind.name));
    }
    grown = grown || always;
  }
  // Says which shim it was.
  if (grown) virtual_cuda(c).check_leaks(last_round);
}

/// Whether a shim works is for its own clause to say; here there is nothing to repeat then.
void need_success(Case& c, AOTITorchError error, const char* shim) {
  if (error != 0) c.skip(fmt::format("{} fails here, and is judged elsewhere", shim));
}

/// A tensor on a device, or with memory of its own on the host (index -1).
struct Side {
  std::unique_ptr<Memory> host;
  Tensor tensor;
};

Side side(Case& c, const Geometry& geometry, const DType& type, int32_t index) {
  Side made;
  if (index >= 0) {
    made.tensor = on_cuda(c, geometry, type, index);
  } else {
    made.host = std::make_unique<Memory>(geometry, type);
    made.tensor = from_blob(c, *made.host, geometry, type);
  }
  return made;
}

Tensor pinned(Case& c) {
  return make_tensor(c, "empty_strided_pinned", [&](AtenTensorHandle* out) {
    return SHIM(aoti_torch_empty_strided_pinned)(small().rank(), args(small().sizes),
                                                 args(small().strides), float32().code, device_cpu,
                                                 -1, out);
  });
}

/// One copy_ over and over. Where two devices, or two dtypes, are too much for it, an error is
/// fine, and must leak nothing either.
void copies(Case& c, const Tensor& to, const Tensor& from, int32_t non_blocking, bool may_refuse) {
  no_growth(c, [&] {
    const AOTITorchError error = SHIM(aoti_torch_copy_)(to.get(), from.get(), non_blocking);
    if (!may_refuse) need_success(c, error, "copy_");
  });
}

void copy_sides(Case& c, const Geometry& to, const Geometry& from, int32_t to_index,
                int32_t from_index) {
  virtual_cuda(c);
  need_devices(c, std::max(to_index, from_index) + 1);
  const Side target = side(c, to, float32(), to_index);
  const Side source = side(c, from, float32(), from_index);
  copies(c, target.tensor, source.tensor, 0, to_index >= 0 && from_index >= 0);
}

void copy_converting(Case& c, bool to_device) {
  virtual_cuda(c);
  const Side target = side(c, small(), dtype("float16"), to_device ? 0 : -1);
  const Side source = side(c, small(), float32(), to_device ? -1 : 0);
  copies(c, target.tensor, source.tensor, 0, true);
}

void copy_pinned(Case& c, bool to_device, int32_t non_blocking) {
  virtual_cuda(c);
  const Tensor host = pinned(c);
  const Tensor device = on_cuda(c, small(), float32(), 0);
  copies(c, to_device ? device : host, to_device ? host : device, non_blocking, false);
}

void clones(Case& c, const Geometry& geometry, bool preserve) {
  virtual_cuda(c);
  const Tensor self = on_cuda(c, geometry, float32(), last_device(c));
  no_growth(c, [&] {
    AtenTensorHandle made = nullptr;
    need_success(c,
                 preserve ? SHIM(aoti_torch_clone_preserve_strides)(self.get(), &made)
                          : SHIM(aoti_torch_clone)(self.get(), &made),
                 preserve ? "clone_preserve_strides" : "clone");
    const Tensor owned(c, made);
  });
}

void items(Case& c) {
  virtual_cuda(c);
  const Tensor one = on_cuda(c, {"", {}, {}, 0}, dtype("bool"), last_device(c));
  fill_device(c, get_data_ptr(c, one.get()), {"", {}, {}, 0}, dtype("bool"));
  no_growth(c, [&] {
    bool value = false;
    need_success(c, SHIM(aoti_torch_item_bool)(one.get(), &value), "item_bool");
  });
}

void empty_tensors(Case& c, const Geometry& geometry) {
  virtual_cuda(c);
  no_growth(c, [&] { const Tensor made = on_cuda(c, geometry, float32(), 0); });
}

void borrowed_tensors(Case& c) {
  virtual_cuda(c);
  const CudaMemory memory(c, extent(small()) * float32().size);
  no_growth(c, [&] {
    const Tensor made = make_tensor(c, "from_blob on cuda", [&](AtenTensorHandle* out) {
      return SHIM(aoti_torch_create_tensor_from_blob)(
          static_cast<void*>(memory.data()), small().rank(), args(small().sizes),
          args(small().strides), int64_t{0}, float32().code, device_cuda, 0, out);
    });
  });
}

void device_guards(Case& c, bool move) {
  virtual_cuda(c);
  const int32_t last = last_device(c);
  no_growth(c, [&] {
    const Guard guard = Guard::device(c, last);
    if (!move) return;
    need_success(c, SHIM(aoti_torch_cuda_guard_set_index)(guard.get(), 0), "set_index");
  });
}

void stream_guards(Case& c) {
  virtual_cuda(c);
  const Stream stream(c);
  no_growth(c, [&] {
    const Guard guard = Guard::stream(c, stream.get(), 0);
    void* read = nullptr;
    need_success(c, SHIM(aoti_torch_get_current_cuda_stream)(0, &read), "get_current_cuda_stream");
  });
}

/// What a tensor needs that lives under a stream guard and goes with it.
void work_under_a_stream_guard(Case& c) {
  virtual_cuda(c);
  const Stream stream(c);
  const Side source = side(c, small(), float32(), -1);
  no_growth(c, [&] {
    const Guard guard = Guard::stream(c, stream.get(), 0);
    const Tensor made = on_cuda(c, small(), float32(), 0);
    need_success(c, SHIM(aoti_torch_copy_)(made.get(), source.tensor.get(), 0), "copy_");
  });
}

void add_copies(CaseList& cases) {
  static const Geometry columns{"", {4, 6}, {1, 4}, 0};
  cases.add("copy_to_device", [](Case& c) { copy_sides(c, small(), small(), 0, -1); });
  cases.add("copy_to_host", [](Case& c) { copy_sides(c, small(), small(), -1, 0); });
  cases.add("copy_on_one_device", [](Case& c) { copy_sides(c, small(), small(), 0, 0); });
  cases.add("copy_to_another_device", [](Case& c) { copy_sides(c, small(), small(), 1, 0); });
  cases.add("copy_strided_to_device", [](Case& c) { copy_sides(c, columns, small(), 0, -1); });
  cases.add("copy_strided_to_host", [](Case& c) { copy_sides(c, small(), columns, -1, 0); });
  cases.add("copy_strided_on_one_device", [](Case& c) { copy_sides(c, columns, small(), 0, 0); });
  cases.add("copy_large_to_device", [](Case& c) { copy_sides(c, large(), large(), 0, -1); });
  cases.add("copy_large_to_host", [](Case& c) { copy_sides(c, large(), large(), -1, 0); });
  cases.add("copy_large_on_one_device", [](Case& c) { copy_sides(c, large(), large(), 0, 0); });
  for (const bool to_device : {true, false}) {
    const char* where = to_device ? "device" : "host";
    cases.add(fmt::format("copy_converting_to_{}", where),
              [to_device](Case& c) { copy_converting(c, to_device); });
    for (const int32_t non_blocking : {0, 1}) {
      const std::string name =
          fmt::format("copy_page_locked_to_{}{}", where, non_blocking != 0 ? "_non_blocking" : "");
      cases.add(name, [=](Case& c) { copy_pinned(c, to_device, non_blocking); });
    }
  }
}

}  // namespace

CLAUSE_CASES(DEV, no_leak) {
  add_copies(cases);
  cases.add("clone", [](Case& c) { clones(c, small(), false); });
  cases.add("clone_large", [](Case& c) { clones(c, large(), false); });
  cases.add("clone_preserve_strides", [](Case& c) { clones(c, small(), true); });
  cases.add("item_bool", items);
  cases.add("empty_strided", [](Case& c) { empty_tensors(c, small()); });
  cases.add("empty_strided_large", [](Case& c) { empty_tensors(c, large()); });
  cases.add("empty_strided_pinned", [](Case& c) {
    virtual_cuda(c);
    no_growth(c, [&] { const Tensor made = pinned(c); });
  });
  cases.add("from_blob", borrowed_tensors);
  cases.add("device_guard", [](Case& c) { device_guards(c, false); });
  cases.add("set_index", [](Case& c) { device_guards(c, true); });
  cases.add("stream_guard", stream_guards);
  cases.add("work_under_a_stream_guard", work_under_a_stream_guard);
}

}  // namespace aoti_cts::suite
