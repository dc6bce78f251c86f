// Section DEV, and the rows of TENSOR that need a device: tensors, guards and streams on CUDA
// devices, virtual or real.
//
// Run alone: aoti-cts check --virtual-cuda --profile cuda; success prints one PASS line for each
// clause. On a machine with a GPU: --cuda real.
//
// A case asks CUDA itself, past the shims, what became of the device (cuda.h). Bytes go to the
// device and come back by cudaMemcpy, so that copy_ is judged by its own clause alone; what the
// host must not do (touch device memory, free it twice) the virtual device finds by itself.
#include "suite/cuda.h"
#include "suite/tensor_makers.h"

namespace aoti_cts::suite {
namespace {

const Geometry& shape() {
  static const Geometry geometry{"", {4, 6}, {6, 1}, 0};
  return geometry;
}

int64_t bytes_of(const Geometry& geometry, const DType& type) {
  return extent(geometry) * type.size;
}

std::string named(int64_t value) {
  return value < 0 ? fmt::format("minus_{}", -value) : fmt::format("{}", value);
}

Tensor lend(Case& c, void* data, const Geometry& geometry, const DType& type, int32_t index) {
  return make_tensor(c, "create_tensor_from_blob_v2 on cuda", [&](AtenTensorHandle* out) {
    return SHIM(aoti_torch_create_tensor_from_blob_v2)(
        data, geometry.rank(), args(geometry.sizes), args(geometry.strides), geometry.offset,
        type.code, device_cuda, index, out, layout_strided, nullptr, int64_t{0});
  });
}

// What a shim makes on a device whose index may be wrong.
enum class Asked {
  EmptyStrided,
  FromBlob,
  FromBlobV2,
  Guard,
  SetIndex,
  StreamGuard,
  CurrentStream
};
constexpr Asked kAsked[] = {Asked::EmptyStrided, Asked::FromBlob, Asked::FromBlobV2,
                            Asked::Guard,        Asked::SetIndex, Asked::StreamGuard,
                            Asked::CurrentStream};

const char* name_of(Asked asked) {
  static constexpr const char* names[] = {"empty_strided", "from_blob",    "from_blob_v2",  "guard",
                                          "set_index",     "stream_guard", "current_stream"};
  return names[static_cast<int>(asked)];
}

struct Answer {
  AOTITorchError error = 0;
  bool wrote = false;  ///< the output holds something else than the sentinel
  int32_t index = -1;  ///< device that was made current or that the tensor is on
};

/// An output nobody would write, to see whether it was.
template <class T>
T sentinel() {
  return reinterpret_cast<T>(std::uintptr_t{0x5E2714E1});  // NOLINT(performance-no-int-to-ptr)
}

Answer ask_tensor(Case& c, Asked asked, int32_t type, int32_t index) {
  const Geometry& g = shape();
  const int32_t code = float32().code;
  const CudaMemory memory(c, bytes_of(g, float32()));
  auto handle = sentinel<AtenTensorHandle>();
  Answer answer;
  if (asked == Asked::EmptyStrided) {
    answer.error = SHIM(aoti_torch_empty_strided)(g.rank(), args(g.sizes), args(g.strides), code,
                                                  type, index, &handle);
  } else if (asked == Asked::FromBlob) {
    answer.error = SHIM(aoti_torch_create_tensor_from_blob)(
        static_cast<void*>(memory.data()), g.rank(), args(g.sizes), args(g.strides), int64_t{0},
        code, type, index, &handle);
  } else {
    answer.error = SHIM(aoti_torch_create_tensor_from_blob_v2)(
        static_cast<void*>(memory.data()), g.rank(), args(g.sizes), args(g.strides), int64_t{0},
        code, type, index, &handle, layout_strided, nullptr, int64_t{0});
  }
  answer.wrote = handle != sentinel<AtenTensorHandle>() && handle != nullptr;
  if (!answer.wrote || answer.error != 0) return answer;
  const Tensor tensor(c, handle);
  answer.index = get_device_index(c, handle);
  return answer;
}

Answer ask_guard(Case& c, Asked asked, int32_t index) {
  Answer answer;
  if (asked == Asked::SetIndex) {
    const Guard guard = Guard::device(c, 0);
    answer.error = SHIM(aoti_torch_cuda_guard_set_index)(guard.get(), index);
    answer.index = current_device(c);
    return answer;
  }
  if (asked == Asked::CurrentStream) {
    auto stream = sentinel<void*>();
    answer.error = SHIM(aoti_torch_get_current_cuda_stream)(index, &stream);
    answer.wrote = stream != sentinel<void*>() && stream != nullptr;
    answer.index = index;
    return answer;
  }
  if (asked == Asked::Guard) {
    auto guard = sentinel<CUDAGuardHandle>();
    answer.error = SHIM(aoti_torch_create_cuda_guard)(index, &guard);
    answer.wrote = guard != sentinel<CUDAGuardHandle>() && guard != nullptr;
    answer.index = current_device(c);
    if (answer.error == 0 && answer.wrote) SHIM(aoti_torch_delete_cuda_guard)(guard);
    return answer;
  }
  auto guard = sentinel<CUDAStreamGuardHandle>();
  answer.error =
      SHIM(aoti_torch_create_cuda_stream_guard)(static_cast<void*>(nullptr), index, &guard);
  answer.wrote = guard != sentinel<CUDAStreamGuardHandle>() && guard != nullptr;
  answer.index = current_device(c);
  if (answer.error == 0 && answer.wrote) SHIM(aoti_torch_delete_cuda_stream_guard)(guard);
  return answer;
}

Answer ask(Case& c, Asked asked, int32_t index) {
  return asked <= Asked::FromBlobV2 ? ask_tensor(c, asked, device_cuda, index)
                                    : ask_guard(c, asked, index);
}

/// An index that must be refused: an error, and the current device is what it was.
void refuse_index(Case& c, Asked asked, int32_t index) {
  const int32_t before = last_device(c);
  const OnDevice scope(c, before);
  const Answer answer = ask(c, asked, index);
  const std::string what = fmt::format("{} with device index {}", name_of(asked), index);
  if (answer.error == 0) {
    c.fail(
        what,
        fmt::format("success{}", answer.index >= 0 ? fmt::format(", device {}", answer.index) : ""),
        "an error code");
    return;
  }
  HAVE_WANT_AS(what + " is an error", answer.error != 0, true);
  if (asked <= Asked::Guard || asked == Asked::StreamGuard) {
    HAVE_WANT_AS(what + " gives a handle", answer.wrote, false);
  }
  HAVE_WANT_AS("current device after " + what, current_device(c), before);
}

// ------------------------------------------------------------------------------------- copying

struct CopyPlan {
  std::string name;
  Geometry to, from;
};

/// Geometries of equal sizes on both sides: dense, permuted, gapped, offset, scalar, zero-size.
const std::vector<CopyPlan>& copy_plans() {
  static const std::vector<CopyPlan> plans{
      {"dense", {"", {4, 6}, {6, 1}, 0}, {"", {4, 6}, {6, 1}, 0}},
      {"into_permuted", {"", {4, 6}, {1, 4}, 0}, {"", {4, 6}, {6, 1}, 0}},
      {"from_permuted", {"", {4, 6}, {6, 1}, 0}, {"", {4, 6}, {1, 4}, 0}},
      {"into_gapped", {"", {4, 6}, {9, 1}, 0}, {"", {4, 6}, {6, 1}, 0}},
      {"from_expanded", {"", {4, 6}, {6, 1}, 0}, {"", {4, 6}, {0, 1}, 0}},
      {"scalar", {"", {}, {}, 0}, {"", {}, {}, 0}},
      {"zero_size", {"", {0, 6}, {6, 1}, 0}, {"", {0, 6}, {6, 1}, 0}},
  };
  return plans;
}

/// A tensor of the case on some device, the host's (index -1) included, with its own memory.
struct Placed {
  std::unique_ptr<Memory> host;
  Tensor tensor;
  std::byte* first = nullptr;
  int32_t index = -1;
};

Placed place(Case& c, const Geometry& geometry, const DType& type, int32_t index) {
  Placed placed;
  placed.index = index;
  if (index < 0) {
    placed.host = std::make_unique<Memory>(geometry, type);
    placed.tensor = from_blob(c, *placed.host, geometry, type);
    placed.first = placed.host->first(geometry, type);
  } else {
    placed.tensor = on_cuda(c, geometry, type, index);
    placed.first = get_data_ptr(c, placed.tensor.get());
  }
  return placed;
}

void put(Case& c, const Placed& placed, const Geometry& geometry, const DType& type, int64_t seed) {
  if (placed.index < 0) {
    fill(placed.first, geometry, type, seed);
  } else {
    fill_device(c, placed.first, geometry, type, seed);
  }
}

std::vector<uint64_t> take(Case& c, const Placed& placed, const Geometry& geometry,
                           const DType& type) {
  return placed.index < 0 ? read(placed.first, geometry, type)
                          : read_device(c, placed.first, geometry, type);
}

/// copy_ from one place to another; what arrives is what the source held.
void copy_between(Case& c, const CopyPlan& plan, const DType& type, int32_t to, int32_t from,
                  int32_t non_blocking) {
  const Placed target = place(c, plan.to, type, to);
  const Placed source = place(c, plan.from, type, from);
  put(c, target, plan.to, type, 100);
  put(c, source, plan.from, type, 0);
  const std::vector<uint64_t> want = take(c, source, plan.from, type);
  const AOTITorchError error =
      SHIM(aoti_torch_copy_)(target.tensor.get(), source.tensor.get(), non_blocking);
  if (error != 0 && to >= 0 && from >= 0) {
    c.judge(error != 0, true, "copy_ between devices is an error code");
    return;
  }
  NEED(error, 0);
  if (non_blocking != 0) cuda(c).cudaDeviceSynchronize();
  HAVE_WANT_AS("what arrived", take(c, target, plan.to, type), want);
}

/// float32 on one side, the type on the other.
void copy_converting(Case& c, const DType& type, bool to_device) {
  const Placed target = place(c, shape(), type, to_device ? last_device(c) : -1);
  const Placed source = place(c, shape(), float32(), to_device ? -1 : last_device(c));
  put(c, source, shape(), float32(), 0);
  put(c, target, shape(), type, 100);
  const AOTITorchError error = SHIM(aoti_torch_copy_)(target.tensor.get(), source.tensor.get(), 0);
  if (error != 0) {
    c.saw("conversion refused");
    return;
  }
  std::vector<uint64_t> want;
  for (const uint64_t bits : take(c, source, shape(), float32())) {
    want.push_back(encode(type, decode(float32(), bits)));
  }
  HAVE_WANT_AS("what arrived", take(c, target, shape(), type), want);
}

/// A view with an offset on a device copies its own elements and nothing beside them.
void copy_view(Case& c) {
  const int32_t index = last_device(c);
  const Geometry whole{"", {32}, {1}, 0};
  const Geometry part{"", {2, 3}, {8, 2}, 5};
  const Placed base = place(c, whole, float32(), index);
  put(c, base, whole, float32(), 0);
  const Tensor window = view(c, base.tensor.get(), part);
  const Placed host = place(c, {"", {2, 3}, {3, 1}, 0}, float32(), -1);
  put(c, host, {"", {2, 3}, {3, 1}, 0}, float32(), 200);
  NEED(SHIM(aoti_torch_copy_)(window.get(), host.tensor.get(), 0), 0);
  std::vector<uint64_t> want = patterns(float32(), 32);
  const std::vector<uint64_t> put_in = patterns(float32(), 6, 200);
  for (int64_t i = 0; i < 6; ++i) {
    const int64_t at = part.offset + element_at(part, i);
    want[static_cast<std::size_t>(at)] = put_in[static_cast<std::size_t>(i)];
  }
  HAVE_WANT_AS("the storage after a copy into a view", take(c, base, whole, float32()), want);
}

// -------------------------------------------------------------------------------------- guards

void guard_sets_and_restores(Case& c) {
  const int32_t last = last_device(c);
  {
    const Guard guard = Guard::device(c, last);
    HAVE_WANT_AS("current device inside the guard", current_device(c), last);
  }
  HAVE_WANT_AS("current device after the guard", current_device(c), 0);
}

void guards_nest(Case& c) {
  need_devices(c, 2);
  Guard outer = Guard::device(c, 1);
  Guard inner = Guard::device(c, 0);
  HAVE_WANT_AS("current device inside both", current_device(c), 0);
  Guard same = Guard::device(c, 0);
  same.reset();
  HAVE_WANT_AS("current device after a guard on the same device", current_device(c), 0);
  inner.reset();
  HAVE_WANT_AS("current device after the inner guard", current_device(c), 1);
  outer.reset();
  HAVE_WANT_AS("current device after both", current_device(c), 0);
}

void guard_moves(Case& c) {
  need_devices(c, 2);
  Guard guard = Guard::device(c, 0);
  NEED(SHIM(aoti_torch_cuda_guard_set_index)(guard.get(), 1), 0);
  HAVE_WANT_AS("current device after set_index", current_device(c), 1);
  guard.reset();
  HAVE_WANT_AS("current device after the guard", current_device(c), 0);
}

/// What a moved guard restores is what was current before it, not where it was before it moved.
void moved_guard_restores(Case& c) {
  need_devices(c, 2);
  const OnDevice scope(c, 1);
  Guard guard = Guard::device(c, 0);
  NEED(SHIM(aoti_torch_cuda_guard_set_index)(guard.get(), 1), 0);
  HAVE_WANT_AS("current device after set_index", current_device(c), 1);
  guard.reset();
  HAVE_WANT_AS("current device after a guard that moved back", current_device(c), 1);
}

void guard_refuses(Case& c, bool set_index) {
  const int32_t last = last_device(c);
  const OnDevice scope(c, last);
  auto handle = sentinel<CUDAGuardHandle>();
  if (set_index) {
    const Guard guard = Guard::device(c, last);
    HAVE_WANT(SHIM(aoti_torch_cuda_guard_set_index)(guard.get(), device_count(c)) != 0, true);
    HAVE_WANT_AS("current device after a refused index", current_device(c), last);
    return;
  }
  HAVE_WANT(SHIM(aoti_torch_create_cuda_guard)(device_count(c), &handle) != 0, true);
  HAVE_WANT_AS("a guard was returned", handle != nullptr && handle != sentinel<CUDAGuardHandle>(),
               false);
  HAVE_WANT_AS("current device after a refused index", current_device(c), last);
}

void* current_stream(Case& c, int32_t index) {
  auto stream = sentinel<void*>();
  NEED(SHIM(aoti_torch_get_current_cuda_stream)(index, &stream), 0);
  return stream;
}

void stream_guard_reads_back(Case& c) {
  const Stream one(c);
  const Stream other(c);
  void* const before = current_stream(c, 0);
  {
    const Guard outer = Guard::stream(c, one.get(), 0);
    HAVE_WANT_AS("current stream inside the guard", current_stream(c, 0),
                 static_cast<void*>(one.get()));
    {
      const Guard inner = Guard::stream(c, other.get(), 0);
      HAVE_WANT_AS("current stream inside both", current_stream(c, 0),
                   static_cast<void*>(other.get()));
    }
    HAVE_WANT_AS("current stream after the inner guard", current_stream(c, 0),
                 static_cast<void*>(one.get()));
  }
  HAVE_WANT_AS("current stream after both", current_stream(c, 0), before);
}

void stream_guard_keeps_other_devices(Case& c) {
  need_devices(c, 2);
  void* const of_0 = current_stream(c, 0);
  const OnDevice scope(c, 1);
  const Stream stream(c);
  const Guard guard = Guard::stream(c, stream.get(), 1);
  HAVE_WANT_AS("current stream of device 1", current_stream(c, 1),
               static_cast<void*>(stream.get()));
  HAVE_WANT_AS("current stream of device 0", current_stream(c, 0), of_0);
}

void stream_guard_refuses(Case& c, int32_t index) {
  const Stream stream(c);
  void* const before = current_stream(c, 0);
  auto guard = sentinel<CUDAStreamGuardHandle>();
  const AOTITorchError error =
      SHIM(aoti_torch_create_cuda_stream_guard)(static_cast<void*>(stream.get()), index, &guard);
  HAVE_WANT_AS(fmt::format("a stream guard with index {} is an error", index), error != 0, true);
  HAVE_WANT_AS("a guard was returned",
               guard != nullptr && guard != sentinel<CUDAStreamGuardHandle>(), false);
  HAVE_WANT_AS("current stream after a refused index", current_stream(c, 0), before);
  auto read = sentinel<void*>();
  HAVE_WANT_AS(fmt::format("get_current_cuda_stream({}) is an error", index),
               SHIM(aoti_torch_get_current_cuda_stream)(index, &read) != 0, true);
}

void null_stream(Case& c, int32_t index) {
  const Guard guard = Guard::stream(c, nullptr, index);
  HAVE_WANT_AS("current stream inside a guard on null", current_stream(c, index),
               static_cast<void*>(nullptr));
  const Placed device = place(c, shape(), float32(), index);
  const Placed host = place(c, shape(), float32(), -1);
  put(c, host, shape(), float32(), 7);
  NEED(SHIM(aoti_torch_copy_)(device.tensor.get(), host.tensor.get(), 0), 0);
  HAVE_WANT_AS("what was copied on it", take(c, device, shape(), float32()),
               patterns(float32(), 24, 7));
}

void stream_guard_sets_device(Case& c) {
  need_devices(c, 2);
  std::unique_ptr<Stream> stream;
  {
    const OnDevice scope(c, 1);
    stream = std::make_unique<Stream>(c);
  }
  void* const before = current_stream(c, 1);
  {
    const Guard guard = Guard::stream(c, stream->get(), 1);
    HAVE_WANT_AS("current device inside the stream guard", current_device(c), 1);
    HAVE_WANT_AS("current stream inside the stream guard", current_stream(c, 1),
                 static_cast<void*>(stream->get()));
  }
  HAVE_WANT_AS("current device after the stream guard", current_device(c), 0);
  HAVE_WANT_AS("current stream after the stream guard", current_stream(c, 1), before);
}

/// A stream guard on device 0 while device 1 is current, and a further one inside.
void stream_guards_nest_across_devices(Case& c) {
  need_devices(c, 2);
  const Stream of_0(c);
  const OnDevice scope(c, 1);
  const Stream of_1(c);
  {
    const Guard outer = Guard::stream(c, of_0.get(), 0);
    HAVE_WANT_AS("current device inside the guard on device 0", current_device(c), 0);
    {
      const Guard inner = Guard::stream(c, of_1.get(), 1);
      HAVE_WANT_AS("current device inside both", current_device(c), 1);
      HAVE_WANT_AS("current stream of device 0 inside both", current_stream(c, 0),
                   static_cast<void*>(of_0.get()));
    }
    HAVE_WANT_AS("current device after the inner guard", current_device(c), 0);
  }
  HAVE_WANT_AS("current device after both", current_device(c), 1);
}

// --------------------------------------------------------------------------------- stream order

/// Queues host-to-device on a stream, from page-locked memory so that nothing waits for it.
struct Queued {
  CudaMemory pinned;
  explicit Queued(Case& c) : pinned(c, bytes_of(shape(), float32()), CudaMemory::Kind::Pinned) {
    fill(pinned.data(), shape(), float32(), 50);
  }
  void copy_to(Case& c, std::byte* device, const Stream& stream) const {
    NEED(static_cast<unsigned>(cuda(c).cudaMemcpyAsync(
             device, pinned.data(), static_cast<std::size_t>(bytes_of(shape(), float32())),
             cu::cudaMemcpyHostToDevice, stream.get())),
         0U);
  }
};

/// copy_ to the host comes after what is queued on the current stream, and is complete on return.
void copy_follows_the_stream(Case& c) {
  const Placed device = place(c, shape(), float32(), 0);
  put(c, device, shape(), float32(), 0);
  const Placed host = place(c, shape(), float32(), -1);
  const Queued queued(c);
  const Stream stream(c);  // goes, and waits, before the memory that it works on
  const Guard guard = Guard::stream(c, stream.get(), 0);
  queued.copy_to(c, device.first, stream);
  NEED(SHIM(aoti_torch_copy_)(host.tensor.get(), device.tensor.get(), 0), 0);
  HAVE_WANT_AS("the host's bytes on return", take(c, host, shape(), float32()),
               patterns(float32(), 24, 50));
}

/// The same into page-locked memory, where CUDA's own copy would return before it is done.
void copy_to_pinned_is_complete(Case& c) {
  const Placed device = place(c, shape(), float32(), 0);
  put(c, device, shape(), float32(), 50);
  const Tensor pinned = make_tensor(c, "empty_strided_pinned", [&](AtenTensorHandle* out) {
    return SHIM(aoti_torch_empty_strided_pinned)(shape().rank(), args(shape().sizes),
                                                 args(shape().strides), float32().code, device_cpu,
                                                 -1, out);
  });
  std::byte* const data = get_data_ptr(c, pinned.get());
  fill(data, shape(), float32(), 0);
  NEED(SHIM(aoti_torch_copy_)(pinned.get(), device.tensor.get(), 0), 0);
  HAVE_WANT_AS("the host's bytes on return", read(data, shape(), float32()),
               patterns(float32(), 24, 50));
}

/// The stream is that of the tensor's device, whatever device is current.
void copy_follows_the_stream_of_its_device(Case& c) {
  need_devices(c, 2);
  const Placed device = place(c, shape(), float32(), 1);
  const Placed host = place(c, shape(), float32(), -1);
  const OnDevice scope(c, 1);
  put(c, device, shape(), float32(), 0);
  const Queued queued(c);
  const Stream stream(c);
  const Guard guard = Guard::stream(c, stream.get(), 1);
  queued.copy_to(c, device.first, stream);
  const OnDevice elsewhere(c, 0);
  NEED(SHIM(aoti_torch_copy_)(host.tensor.get(), device.tensor.get(), 0), 0);
  HAVE_WANT_AS("the host's bytes on return", take(c, host, shape(), float32()),
               patterns(float32(), 24, 50));
}

/// clone and item_bool come after what is queued on the current stream, as copy_ does.
void clone_follows_the_stream(Case& c, const Copier& how) {
  const Placed device = place(c, shape(), float32(), 0);
  put(c, device, shape(), float32(), 0);
  const Queued queued(c);
  const Stream stream(c);
  const Guard guard = Guard::stream(c, stream.get(), 0);
  queued.copy_to(c, device.first, stream);
  const Tensor made = how.tensor(c, device.tensor.get());
  HAVE_WANT_AS("CUDA's own cudaStreamSynchronize",
               static_cast<unsigned>(cuda(c).cudaStreamSynchronize(stream.get())), 0U);
  HAVE_WANT_AS("the clone's elements",
               read_device(c, get_data_ptr(c, made.get()), shape(), float32()),
               patterns(float32(), 24, 50));
}

void item_follows_the_stream(Case& c) {
  const Geometry scalar{"", {}, {}, 0};
  const Tensor tensor = on_cuda(c, scalar, dtype("bool"), 0);
  std::byte* const data = get_data_ptr(c, tensor.get());
  const CudaMemory pinned(c, 1, CudaMemory::Kind::Pinned);
  *pinned.data() = std::byte{0};
  NEED(
      static_cast<unsigned>(cuda(c).cudaMemcpy(data, pinned.data(), 1, cu::cudaMemcpyHostToDevice)),
      0U);
  *pinned.data() = std::byte{1};
  const Stream stream(c);
  const Guard guard = Guard::stream(c, stream.get(), 0);
  NEED(static_cast<unsigned>(cuda(c).cudaMemcpyAsync(data, pinned.data(), 1,
                                                     cu::cudaMemcpyHostToDevice, stream.get())),
       0U);
  bool have = false;
  NEED(SHIM(aoti_torch_item_bool)(tensor.get(), &have), 0);
  HAVE_WANT_AS("item_bool of what is queued on the current stream", have, true);
}

/// The caller may write to page-locked memory again as soon as copy_ from it has returned.
void copy_from_pinned_is_complete(Case& c) {
  const Placed device = place(c, shape(), float32(), 0);
  put(c, device, shape(), float32(), 0);
  const Tensor pinned = make_tensor(c, "empty_strided_pinned", [&](AtenTensorHandle* out) {
    return SHIM(aoti_torch_empty_strided_pinned)(shape().rank(), args(shape().sizes),
                                                 args(shape().strides), float32().code, device_cpu,
                                                 -1, out);
  });
  std::byte* const data = get_data_ptr(c, pinned.get());
  fill(data, shape(), float32(), 50);
  NEED(SHIM(aoti_torch_copy_)(device.tensor.get(), pinned.get(), 0), 0);
  fill(data, shape(), float32(), 9);
  HAVE_WANT_AS("the device's bytes", take(c, device, shape(), float32()),
               patterns(float32(), 24, 50));
}

/// A tensor that is made, written and deleted under a stream guard: what was queued before it is
/// deleted still finds its memory.
void free_follows_the_stream(Case& c) {
  virtual_cuda(c);
  const Queued queued(c);
  const Stream stream(c);
  const Guard guard = Guard::stream(c, stream.get(), 0);
  for (int round = 0; round < 4; ++round) {
    Tensor tensor = on_cuda(c, shape(), float32(), 0);
    queued.copy_to(c, get_data_ptr(c, tensor.get()), stream);
    tensor.reset();
  }
  HAVE_WANT_AS("CUDA's own cudaStreamSynchronize",
               static_cast<unsigned>(cuda(c).cudaStreamSynchronize(stream.get())), 0U);
}

// ------------------------------------------------------------------------------- owning, failing

/// Makes a tensor on device 1, uses it in one way, and lets go of it while device 0 is current.
void make_and_free(Case& c, const std::string& way) {
  Tensor tensor = on_cuda(c, shape(), float32(), 1);
  if (way == "view") {
    Tensor window = view(c, tensor.get(), {"", {3}, {2}, 4});
    tensor.reset();
    tensor = std::move(window);
  } else if (way == "handle") {
    Tensor other = deriver("new_tensor_handle").tensor(c, tensor.get(), shape());
    tensor.reset();
    tensor = std::move(other);
  } else if (way == "guard") {
    const Guard guard = Guard::device(c, 0);
    tensor.reset();
  }
  if (tensor.get() != nullptr) {
    // The memory is there as long as any handle is.
    fill_device(c, get_data_ptr(c, tensor.get()), {"", {2}, {1}, 0}, float32());
  }
}

/// What stays after a first round may be a cache; a second one must find it again.
void frees_on_own_device(Case& c, const std::string& way) {
  virtual_cuda(c);
  need_devices(c, 2);
  int64_t alive[2];
  for (int64_t& count : alive) {
    make_and_free(c, way);
    HAVE_WANT_AS("current device after the delete", current_device(c), 0);
    const OnDevice scope(c, 1);
    cuda(c).cudaDeviceSynchronize();
    count = live(c).device_allocations;
  }
  HAVE_WANT_AS("live allocations after a second round", alive[1], alive[0]);
}

/// The outcome of a call that must fail: an error, nothing more alive than before.
template <class Call>
void want_clean_failure(Case& c, const char* what, Call&& call) {
  const int32_t device = current_device(c);
  const bool counted = cuda(c).is_virtual();
  const aoti_cts_vcuda_live before = counted ? live(c) : aoti_cts_vcuda_live{};
  auto handle = sentinel<AtenTensorHandle>();
  const AOTITorchError error = call(&handle);
  if (error == 0) {
    const Tensor made(c, handle);
    c.fail(what, "success", "an error code");
    return;
  }
  HAVE_WANT_AS(fmt::format("{} is an error", what), error != 0, true);
  HAVE_WANT_AS("current device after it", current_device(c), device);
  if (!counted) return;
  const aoti_cts_vcuda_live after = live(c);
  // Fewer where an allocator gave back what it had kept.
  const auto grown = [](int64_t now, int64_t then) { return std::max<int64_t>(now - then, 0); };
  HAVE_WANT_AS("device allocations more after it",
               grown(after.device_allocations, before.device_allocations), 0);
  HAVE_WANT_AS("pinned allocations more after it",
               grown(after.pinned_allocations, before.pinned_allocations), 0);
}

void too_large(Case& c) {
  // 4 TiB: more than any device has, and less than a size that overflows.
  const Geometry huge{"", {int64_t{1} << 40}, {1}, 0};
  want_clean_failure(c, "empty_strided of 4 TiB", [&](AtenTensorHandle* out) {
    return SHIM(aoti_torch_empty_strided)(huge.rank(), args(huge.sizes), args(huge.strides),
                                          float32().code, device_cuda, 0, out);
  });
}

void device_full(Case& c, const char* which) {
  virtual_cuda(c);
  const std::string shim = which;
  const Geometry big{"", {8 << 20}, {1}, 0};  // 32 MiB
  NEED(cuda(c).reset(2, 48), 0);
  const Tensor tensor = on_cuda(c, big, float32(), 1);
  const OnDevice scope(c, 0);
  want_clean_failure(c, which, [&](AtenTensorHandle* out) {
    if (shim == "clone") return SHIM(aoti_torch_clone)(tensor.get(), out);
    if (shim == "clone_preserve_strides") {
      return SHIM(aoti_torch_clone_preserve_strides)(tensor.get(), out);
    }
    return SHIM(aoti_torch_empty_strided)(big.rank(), args(big.sizes), args(big.strides),
                                          float32().code, device_cuda, 1, out);
  });
}

void no_device_guard(Case& c, Asked asked, bool driver) {
  virtual_cuda(c);
  hide_devices(driver);
  Answer answer;
  if (asked == Asked::Guard) {
    auto guard = sentinel<CUDAGuardHandle>();
    answer.error = SHIM(aoti_torch_create_cuda_guard)(0, &guard);
    answer.wrote = guard != nullptr && guard != sentinel<CUDAGuardHandle>();
  } else if (asked == Asked::StreamGuard) {
    auto guard = sentinel<CUDAStreamGuardHandle>();
    answer.error =
        SHIM(aoti_torch_create_cuda_stream_guard)(static_cast<void*>(nullptr), 0, &guard);
    answer.wrote = guard != nullptr && guard != sentinel<CUDAStreamGuardHandle>();
  } else {
    auto stream = sentinel<void*>();
    answer.error = SHIM(aoti_torch_get_current_cuda_stream)(0, &stream);
  }
  HAVE_WANT_AS(
      fmt::format("{} without a {} is an error", name_of(asked), driver ? "device" : "driver"),
      answer.error != 0, true);
  HAVE_WANT_AS("a guard was returned", answer.wrote, false);
}

/// The device and index of whatever is derived from a tensor on the last device.
void keeps_device(Case& c, const Deriver& how) {
  const int32_t index = last_device(c);
  const Tensor source = on_cuda(c, shape(), float32(), index);
  const Tensor made = how.tensor(c, source.get(), shape());
  HAVE_WANT_AS("device type", get_device_type(c, made.get()), device_cuda);
  HAVE_WANT_AS("device index", get_device_index(c, made.get()), index);
  HAVE_WANT_AS("device that its memory is on", device_of(c, get_data_ptr(c, made.get())), index);
}

void reports_its_index(Case& c, int32_t index) {
  need_devices(c, index + 1);
  for (int32_t current = 0; current < device_count(c); ++current) {
    const OnDevice scope(c, current);
    const Tensor tensor = on_cuda(c, shape(), float32(), index);
    HAVE_WANT_AS("index reported", get_device_index(c, tensor.get()), index);
    HAVE_WANT_AS("device that its memory is on", device_of(c, get_data_ptr(c, tensor.get())),
                 index);
    HAVE_WANT_AS("current device afterwards", current_device(c), current);
  }
}

void borrowed_reports_its_index(Case& c, int32_t index) {
  need_devices(c, index + 1);
  const OnDevice scope(c, index);
  const CudaMemory memory(c, bytes_of(shape(), float32()));
  const Tensor tensor = lend(c, memory.data(), shape(), float32(), index);
  HAVE_WANT_AS("index reported", get_device_index(c, tensor.get()), index);
  HAVE_WANT_AS("data pointer", get_data_ptr(c, tensor.get()), memory.data());
}

void item(Case& c, bool value, int64_t offset) {
  const int32_t index = last_device(c);
  const Geometry whole{"", {9}, {1}, 0};
  const DType& type = dtype("bool");
  const Tensor tensor = on_cuda(c, whole, type, index);
  std::array<unsigned char, 9> bytes{};
  bytes.fill(value ? 0 : 1);
  bytes[static_cast<std::size_t>(offset)] = value ? 1 : 0;
  {
    const OnDevice scope(c, index);
    NEED(static_cast<unsigned>(cuda(c).cudaMemcpy(get_data_ptr(c, tensor.get()), bytes.data(),
                                                  bytes.size(), cu::cudaMemcpyHostToDevice)),
         0U);
  }
  const Tensor one = view(c, tensor.get(), {"", {}, {}, offset});
  bool have = !value;
  NEED(SHIM(aoti_torch_item_bool)(one.get(), &have), 0);
  HAVE_WANT_AS("item_bool of a device tensor", have, value);
}

void aligned(Case& c, const char* how, int64_t elements) {
  const std::string shim = how;
  const Geometry line{"", {elements}, {1}, 0};
  const Tensor source = on_cuda(c, line, dtype("int8"), last_device(c));
  Tensor made;
  if (shim != "empty_strided") {
    const Tensor odd = view(c, source.get(), {"", {elements - 1}, {1}, 1});
    made = copier(shim).tensor(c, odd.get());
  }
  const auto address = reinterpret_cast<std::uintptr_t>(
      get_data_ptr(c, made.get() != nullptr ? made.get() : source.get()));
  HAVE_WANT_AS("address modulo 16", address % 16, std::uintptr_t{0});
}

void page_locked(Case& c, int32_t index) {
  cuda(c);
  const Tensor pinned = make_tensor(c, "empty_strided_pinned", [&](AtenTensorHandle* out) {
    return SHIM(aoti_torch_empty_strided_pinned)(shape().rank(), args(shape().sizes),
                                                 args(shape().strides), float32().code, device_cpu,
                                                 index, out);
  });
  struct {
    cu::cudaPointerAttributes attributes;
    std::byte rest[128];
  } room{};
  NEED(static_cast<unsigned>(
           cuda(c).cudaPointerGetAttributes(&room.attributes, get_data_ptr(c, pinned.get()))),
       0U);
  HAVE_WANT_AS("cudaPointerGetAttributes' type of the memory (1 host, 0 unregistered)",
               static_cast<unsigned>(room.attributes.type), 1U);
  HAVE_WANT_AS("device type reported", get_device_type(c, pinned.get()), device_cpu);
}

void deletes_guard(Case& c, bool stream) {
  cuda(c);
  if (stream) {
    const Stream one(c);
    CUDAStreamGuardHandle guard = nullptr;
    NEED(SHIM(aoti_torch_create_cuda_stream_guard)(static_cast<void*>(one.get()), 0, &guard), 0);
    HAVE_WANT(SHIM(aoti_torch_delete_cuda_stream_guard)(guard), 0);
    return;
  }
  CUDAGuardHandle guard = nullptr;
  NEED(SHIM(aoti_torch_create_cuda_guard)(0, &guard), 0);
  HAVE_WANT(SHIM(aoti_torch_delete_cuda_guard)(guard), 0);
}

}  // namespace

CLAUSE_CASES(TENSOR, alignment_device) {
  for (const char* how : {"empty_strided", "clone", "clone_preserve_strides"}) {
    for (const int64_t elements : {3, 17, 4097}) {
      cases.add(fmt::format("{}_{}", how, elements),
                [how, elements](Case& c) { aligned(c, how, elements); });
    }
  }
}

CLAUSE_CASES(TENSOR, delete_guard_succeeds) {
  cases.add("device_guard", [](Case& c) { deletes_guard(c, false); });
  cases.add("stream_guard", [](Case& c) { deletes_guard(c, true); });
}

CLAUSE_CASES(TENSOR, pinned_page_locked) {
  cases.add("index_0", [](Case& c) { page_locked(c, 0); });
  cases.add("index_minus_1", [](Case& c) { page_locked(c, -1); });
}

CLAUSE_CASES(DEV, negative_index) {
  for (const Asked asked : kAsked) {
    for (const int32_t index : {-2, -100, -127, -128}) {
      cases.add(fmt::format("{}_{}", name_of(asked), named(index)),
                [asked, index](Case& c) { refuse_index(c, asked, index); });
    }
  }
}

CLAUSE_CASES(DEV, current_index) {
  for (const Asked asked : {Asked::EmptyStrided, Asked::Guard, Asked::StreamGuard}) {
    cases.add(name_of(asked), [asked](Case& c) {
      const int32_t current = last_device(c);
      const OnDevice scope(c, current);
      const Answer answer = ask(c, asked, -1);
      c.saw(fmt::format("{} with index -1: {}", name_of(asked),
                        answer.error != 0         ? "an error"
                        : answer.index == current ? "the current device"
                                                  : fmt::format("device {}", answer.index)));
    });
  }
}

CLAUSE_CASES(DEV, index_range) {
  for (const Asked asked : kAsked) {
    cases.add(fmt::format("{}_count", name_of(asked)),
              [asked](Case& c) { refuse_index(c, asked, device_count(c)); });
    for (const int32_t index : {64, 127}) {
      cases.add(fmt::format("{}_{}", name_of(asked), index),
                [asked, index](Case& c) { refuse_index(c, asked, index); });
    }
  }
}

CLAUSE_CASES(DEV, index_width) {
  for (const Asked asked : kAsked) {
    for (const int32_t index : {255, 256, 65535, 65536, -255, -256}) {
      cases.add(fmt::format("{}_{}", name_of(asked), named(index)),
                [asked, index](Case& c) { refuse_index(c, asked, index); });
    }
  }
  for (const Asked asked : {Asked::EmptyStrided, Asked::FromBlob, Asked::FromBlobV2}) {
    for (const int32_t type : {257, 65537, -255}) {
      cases.add(fmt::format("{}_type_{}", name_of(asked), named(type)), [asked, type](Case& c) {
        HAVE_WANT_AS(fmt::format("{} with device type {} is an error", name_of(asked), type),
                     ask_tensor(c, asked, type, 0).error != 0, true);
      });
    }
  }
}

CLAUSE_CASES(DEV, reported_index) {
  for (const int32_t index : {0, 1}) {
    cases.add(fmt::format("empty_strided_{}", index),
              [index](Case& c) { reports_its_index(c, index); });
    cases.add(fmt::format("from_blob_v2_{}", index),
              [index](Case& c) { borrowed_reports_its_index(c, index); });
  }
}

CLAUSE_CASES(DEV, preserve_device) {
  for (const Deriver& how : derivers()) {
    cases.add(how.name, [&how](Case& c) { keeps_device(c, how); });
  }
}

CLAUSE_CASES(DEV, copy_across) {
  for (const CopyPlan& plan : copy_plans()) {
    for (const int32_t non_blocking : {0, 1}) {
      const std::string suffix = plan.name + (non_blocking != 0 ? "_non_blocking" : "");
      cases.add("host_to_device_" + suffix, [&plan, non_blocking](Case& c) {
        copy_between(c, plan, float32(), last_device(c), -1, non_blocking);
      });
      cases.add("device_to_host_" + suffix, [&plan, non_blocking](Case& c) {
        copy_between(c, plan, float32(), -1, last_device(c), non_blocking);
      });
    }
    cases.add("same_device_" + plan.name,
              [&plan](Case& c) { copy_between(c, plan, float32(), 0, 0, 0); });
    cases.add("other_device_" + plan.name, [&plan](Case& c) {
      need_devices(c, 2);
      copy_between(c, plan, float32(), 1, 0, 0);
    });
  }
  for (const DType& type : core_dtypes) {
    cases.add(fmt::format("round_trip_{}", type.name), [&type](Case& c) {
      copy_between(c, copy_plans().front(), type, last_device(c), -1, 0);
      copy_between(c, copy_plans().front(), type, -1, last_device(c), 0);
    });
    cases.add(fmt::format("converting_to_{}_on_device", type.name),
              [&type](Case& c) { copy_converting(c, type, true); });
    cases.add(fmt::format("converting_to_{}_on_host", type.name),
              [&type](Case& c) { copy_converting(c, type, false); });
  }
  cases.add("into_a_view", copy_view);
}

CLAUSE_CASES(DEV, item_on_device) {
  for (const bool value : {false, true}) {
    for (const int64_t offset : {0, 5}) {
      cases.add(fmt::format("{}_at_{}", value, offset),
                [value, offset](Case& c) { item(c, value, offset); });
    }
  }
}

CLAUSE_CASES(DEV, no_device_guard) {
  for (const Asked asked : {Asked::Guard, Asked::StreamGuard, Asked::CurrentStream}) {
    cases.add(fmt::format("{}_without_device", name_of(asked)),
              [asked](Case& c) { no_device_guard(c, asked, true); });
    cases.add(fmt::format("{}_without_driver", name_of(asked)),
              [asked](Case& c) { no_device_guard(c, asked, false); });
  }
}

CLAUSE_CASES(DEV, alloc_failure) {
  cases.add("too_large", too_large);
  for (const char* shim : {"empty_strided", "clone", "clone_preserve_strides"}) {
    cases.add(fmt::format("{}_on_a_full_device", shim), [shim](Case& c) { device_full(c, shim); });
  }
}

CLAUSE_CASES(DEV, guard) {
  cases.add("sets_and_restores", guard_sets_and_restores);
  cases.add("nests", guards_nest);
  cases.add("moves", guard_moves);
  cases.add("moves_and_restores_what_was", moved_guard_restores);
  cases.add("refused_by_create", [](Case& c) { guard_refuses(c, false); });
  cases.add("refused_by_set_index", [](Case& c) { guard_refuses(c, true); });
}

CLAUSE_CASES(DEV, stream_guard) {
  cases.add("reads_back_and_restores", stream_guard_reads_back);
  cases.add("leaves_other_devices", stream_guard_keeps_other_devices);
  cases.add("refuses_count", [](Case& c) { stream_guard_refuses(c, device_count(c)); });
  cases.add("refuses_99", [](Case& c) { stream_guard_refuses(c, 99); });
}

CLAUSE_CASES(DEV, null_stream) {
  cases.add("on_device_0", [](Case& c) { null_stream(c, 0); });
  cases.add("on_the_last_device", [](Case& c) { null_stream(c, last_device(c)); });
}

CLAUSE_CASES(DEV, stream_guard_device) {
  cases.add("sets_and_restores", stream_guard_sets_device);
  cases.add("nests_across_devices", stream_guards_nest_across_devices);
}

CLAUSE_CASES(DEV, stream_order) {
  cases.add("copy_follows_the_stream", copy_follows_the_stream);
  cases.add("copy_follows_the_stream_of_its_device", copy_follows_the_stream_of_its_device);
  cases.add("copy_to_pinned_is_complete", copy_to_pinned_is_complete);
  cases.add("copy_from_pinned_is_complete", copy_from_pinned_is_complete);
  cases.add("item_follows_the_stream", item_follows_the_stream);
  for (const char* name : {"clone", "clone_preserve_strides"}) {
    const Copier& how = copier(name);
    cases.add(fmt::format("{}_follows_the_stream", name),
              [&how](Case& c) { clone_follows_the_stream(c, how); });
  }
  cases.add("free_follows_the_stream", free_follows_the_stream);
}

CLAUSE_CASES(DEV, frees_on_own_device) {
  for (const char* how : {"tensor", "view", "handle", "guard"}) {
    cases.add(how, [how](Case& c) { frees_on_own_device(c, how); });
  }
}

}  // namespace aoti_cts::suite
