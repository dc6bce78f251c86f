// See cuda.h.
#include "suite/cuda.h"

#include <cstdlib>

namespace aoti_cts::suite {
namespace {

/// A call of our own that has to work for the case to mean anything.
void need(Case& c, cu::cudaError_t error, const char* call) {
  if (!c.judge(static_cast<unsigned>(error), 0U, fmt::format("CUDA's own {}", call))) {
    throw EndCase{};
  }
}

/// Memory of an ordered allocator's pool is closed to other devices: the one that it is on has to
/// be current for a copy.
void copy_past(Case& c, std::byte* to, const std::byte* from, int64_t bytes, const void* device,
               cu::cudaMemcpyKind kind) {
  if (bytes == 0) return;
  const int32_t owner = device_of(c, device);
  const OnDevice scope(c, owner >= 0 ? owner : current_device(c));
  need(c, cuda(c).cudaMemcpy(to, from, static_cast<std::size_t>(bytes), kind), "cudaMemcpy");
}

}  // namespace

const cu::Table& cuda(Case& c) {
  if (active_cuda == nullptr) c.skip("needs a CUDA device: --virtual-cuda or --cuda real");
  if (!active_cuda->missing.empty()) c.skip(active_cuda->missing);
  const cu::Table& table = active_cuda->table;
  int count = 0;
  const cu::cudaError_t error = table.cudaGetDeviceCount(&count);
  if (error != cu::cudaSuccess) {
    table.cudaGetLastError();
    c.skip(fmt::format("no CUDA device works here: cudaGetDeviceCount says {} ({})",
                       static_cast<int>(error), table.cudaGetErrorName(error)));
  }
  if (!table.is_virtual()) {
    // Once, so that device 0 has a context: to a device without one libtorch, for one, does not go
    // back when it restores what was current.
    static const cu::cudaError_t set = table.cudaSetDevice(0);
    if (set != cu::cudaSuccess) c.skip(fmt::format("cudaSetDevice(0): {}", static_cast<int>(set)));
  }
  return table;
}

const cu::Table& virtual_cuda(Case& c) {
  const cu::Table& table = cuda(c);
  if (!table.is_virtual()) c.skip("needs the virtual device: --virtual-cuda");
  return table;
}

int32_t device_count(Case& c) {
  int count = 0;
  need(c, cuda(c).cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  return count;
}

void need_devices(Case& c, int32_t count) {
  const int32_t have = device_count(c);
  if (have < count) c.skip(fmt::format("needs {} CUDA devices, there is {}", count, have));
}

int32_t current_device(Case& c) {
  int index = -1;
  need(c, cuda(c).cudaGetDevice(&index), "cudaGetDevice");
  return index;
}

int32_t last_device(Case& c) { return device_count(c) - 1; }

OnDevice::OnDevice(Case& c, int32_t index) : cuda_(cuda(c)) {
  need(c, cuda_.cudaGetDevice(&before_), "cudaGetDevice");
  need(c, cuda_.cudaSetDevice(index), "cudaSetDevice");
}

OnDevice::~OnDevice() { cuda_.cudaSetDevice(before_); }

Stream::Stream(Case& c) : cuda_(&cuda(c)) {
  // Non-blocking, so that nothing but what the candidate does orders it with the default stream.
  need(c, cuda_->cudaStreamCreateWithFlags(&stream_, 1), "cudaStreamCreateWithFlags");
}

Stream::~Stream() {
  if (stream_ == nullptr) return;
  cuda_->cudaStreamSynchronize(stream_);
  cuda_->cudaStreamDestroy(stream_);
}

CudaMemory::CudaMemory(Case& c, int64_t bytes, Kind kind) : cuda_(cuda(c)), kind_(kind) {
  const auto size = static_cast<std::size_t>(bytes);
  need(c, cuda_.cudaGetDevice(&device_), "cudaGetDevice");
  if (kind == Kind::Device) {
    need(c, cuda_.cudaMalloc(&data_, size), "cudaMalloc");
  } else {
    need(c, cuda_.cudaHostAlloc(&data_, size, 0), "cudaHostAlloc");
  }
}

CudaMemory::~CudaMemory() {
  if (kind_ == Kind::Pinned) {
    cuda_.cudaFreeHost(data_);
    return;
  }
  int before = 0;
  cuda_.cudaGetDevice(&before);
  cuda_.cudaSetDevice(device_);
  cuda_.cudaFree(data_);
  cuda_.cudaSetDevice(before);
}

Guard Guard::device(Case& c, int32_t index) {
  cuda(c);
  Guard guard(c);
  NEED(SHIM(aoti_torch_create_cuda_guard)(index, &guard.device_), 0);
  NEED(guard.device_ != nullptr, true);
  return guard;
}

Guard Guard::stream(Case& c, cu::cudaStream_t stream, int32_t index) {
  cuda(c);
  Guard guard(c);
  NEED(SHIM(aoti_torch_create_cuda_stream_guard)(static_cast<void*>(stream), index, &guard.stream_),
       0);
  NEED(guard.stream_ != nullptr, true);
  return guard;
}

// A destructor must not end the case, so a shim that is missing is left alone.
void Guard::reset() {
  Case& c = *case_;
  if (device_ != nullptr && c.has(&AotiShimTable::aoti_torch_delete_cuda_guard)) {
    SHIM(aoti_torch_delete_cuda_guard)(std::exchange(device_, nullptr));
  }
  if (stream_ != nullptr && c.has(&AotiShimTable::aoti_torch_delete_cuda_stream_guard)) {
    SHIM(aoti_torch_delete_cuda_stream_guard)(std::exchange(stream_, nullptr));
  }
}

Tensor on_cuda(Case& c, const Geometry& geometry, const DType& type, int32_t index) {
  cuda(c);
  return make_tensor(c, "aoti_torch_empty_strided on cuda", [&](AtenTensorHandle* out) {
    return SHIM(aoti_torch_empty_strided)(geometry.rank(), args(geometry.sizes),
                                          args(geometry.strides), type.code, device_cuda, index,
                                          out);
  });
}

void fill_device(Case& c, std::byte* first, const Geometry& geometry, const DType& type,
                 int64_t seed) {
  const Geometry at_base = at_offset(geometry, 0);
  const Memory host(at_base, type);
  fill(host.data(), at_base, type, seed);
  copy_past(c, first, host.data(), host.size(), first, cu::cudaMemcpyHostToDevice);
}

std::vector<uint64_t> read_device(Case& c, const std::byte* first, const Geometry& geometry,
                                  const DType& type) {
  const Geometry at_base = at_offset(geometry, 0);
  const Memory host(at_base, type);
  copy_past(c, host.data(), first, host.size(), first, cu::cudaMemcpyDeviceToHost);
  return read(host.data(), at_base, type);
}

int32_t device_of(Case& c, const void* ptr) {
  // CUDA 13 writes 88 bytes where CUDA 12 writes 24.
  struct {
    cu::cudaPointerAttributes attributes;
    std::byte rest[128];
  } room{};
  need(c, cuda(c).cudaPointerGetAttributes(&room.attributes, ptr), "cudaPointerGetAttributes");
  return room.attributes.type == cu::cudaMemoryTypeDevice ? room.attributes.device : -1;
}

void hide_devices(bool driver) {
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  if (active_cuda == nullptr || !active_cuda->table.is_virtual()) return;
  active_cuda->table.reset(driver ? 0 : -1, 0);
}

aoti_cts_vcuda_live live(Case& c, int32_t device) {
  aoti_cts_vcuda_live counts{};
  NEED(virtual_cuda(c).get_live(device, &counts), 0);
  return counts;
}

}  // namespace aoti_cts::suite
