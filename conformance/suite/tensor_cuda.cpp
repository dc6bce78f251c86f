// Rows of TENSOR that a runtime may have code of its own for on devices: what a device tensor says
// of itself, and tensors, guards and streams on many threads.
//
// Run alone: aoti-cts check --virtual-cuda --profile cuda --select 'TENSOR.*-device'; success
// prints one PASS line for each clause.
#include <thread>

#include "suite/cuda.h"

namespace aoti_cts::suite {
namespace {

constexpr int thread_count = 8;
constexpr int rounds = 20;

void says(Case& c, const std::string& what, AtenTensorHandle tensor, const Geometry& geometry,
          const DType& type, int64_t storage_bytes) {
  const int64_t rank = geometry.rank();
  HAVE_WANT_AS(what + " rank", get_dim(c, tensor), rank);
  HAVE_WANT_AS(what + " sizes", get_sizes(c, tensor, rank), geometry.sizes);
  HAVE_WANT_AS(what + " strides", get_strides(c, tensor, rank), geometry.strides);
  HAVE_WANT_AS(what + " elements", get_numel(c, tensor), numel(geometry.sizes));
  HAVE_WANT_AS(what + " storage offset", get_storage_offset(c, tensor), geometry.offset);
  HAVE_WANT_AS(what + " storage bytes", get_storage_size(c, tensor), storage_bytes);
  HAVE_WANT_AS(what + " dtype", get_dtype(c, tensor), type.code);
}

/// A tensor of each geometry, and the same as a view at an offset into a larger storage.
void metadata(Case& c, int64_t rank, const DType& type) {
  constexpr int64_t offset = 3;
  const int32_t index = last_device(c);
  for (const Geometry& geometry : geometries(rank)) {
    const Tensor own = on_cuda(c, geometry, type, index);
    says(c, geometry.name, own.get(), geometry, type, extent(geometry) * type.size);
    const int64_t span = extent(geometry) + 2 * offset;
    const Tensor base = on_cuda(c, {"", {span}, {1}, 0}, type, index);
    const Geometry shifted = at_offset(geometry, offset);
    const Tensor window = view(c, base.get(), shifted);
    const std::string what = geometry.name + " as a view:";
    says(c, what, window.get(), shifted, type, span * type.size);
    if (numel(geometry.sizes) == 0) continue;
    HAVE_WANT_AS(what + " data pointer", get_data_ptr(c, window.get()),
                 get_data_ptr(c, base.get()) + offset * type.size);
  }
}

// --------------------------------------------------------------------------------------- threads

/// What one thread does and finds. A case cannot be ended from there, so it calls the table.
struct Worker {
  const AotiShimTable& shims;
  const cu::Table& cuda;
  int index;
  int32_t device;
  std::string wrong;  ///< the first thing that was
  int64_t steps = 0;

  bool expect(bool right, const char* what) {
    ++steps;
    if (!right && wrong.empty()) wrong = what;
    return right;
  }

  AtenTensorHandle made(AOTITorchError error, AtenTensorHandle handle, const char* what) {
    return expect(error == 0 && handle != nullptr, what) ? handle : nullptr;
  }

  void drop(AtenTensorHandle handle) {
    if (handle != nullptr) expect(shims.aoti_torch_delete_tensor_object(handle) == 0, "delete");
  }

  void read_and_write(AtenTensorHandle tensor);
  void round();
};

constexpr int64_t elements = 64;

void Worker::read_and_write(AtenTensorHandle tensor) {
  constexpr int64_t one = 1;
  std::vector<float> out(elements, static_cast<float>(index));
  std::vector<float> in(elements, -1);
  const auto borrow = [&](std::vector<float>& memory) {
    AtenTensorHandle handle = nullptr;
    const AOTITorchError error = shims.aoti_torch_create_tensor_from_blob(
        memory.data(), 1, &elements, &one, 0, float32().code, device_cpu, -1, &handle);
    return made(error, handle, "create_tensor_from_blob");
  };
  const AtenTensorHandle source = borrow(out);
  const AtenTensorHandle target = borrow(in);
  if (source != nullptr && target != nullptr) {
    expect(shims.aoti_torch_copy_(tensor, source, 0) == 0, "copy_ to the device");
    AtenTensorHandle copy = nullptr;
    const AOTITorchError error = shims.aoti_torch_clone(tensor, &copy);
    copy = made(error, copy, "clone");
    if (copy != nullptr) {
      expect(shims.aoti_torch_copy_(target, copy, 0) == 0, "copy_ to the host");
      expect(in == out, "the thread's own values, through the device and back");
    }
    drop(copy);
  }
  drop(source);
  drop(target);
}

void Worker::round() {
  constexpr int64_t one = 1;
  CUDAGuardHandle guard = nullptr;
  cu::cudaStream_t stream = nullptr;
  CUDAStreamGuardHandle stream_guard = nullptr;
  void* current = nullptr;
  int now = -1;
  if (!expect(shims.aoti_torch_create_cuda_guard(device, &guard) == 0, "create_cuda_guard")) return;
  expect(cuda.cudaStreamCreateWithFlags(&stream, 1) == cu::cudaSuccess, "CUDA's own stream");
  if (expect(shims.aoti_torch_create_cuda_stream_guard(stream, device, &stream_guard) == 0,
             "create_cuda_stream_guard")) {
    AtenTensorHandle tensor = nullptr;
    const AOTITorchError error = shims.aoti_torch_empty_strided(1, &elements, &one, float32().code,
                                                                device_cuda, device, &tensor);
    tensor = made(error, tensor, "empty_strided");
    if (tensor != nullptr) read_and_write(tensor);
    drop(tensor);
    shims.aoti_torch_get_current_cuda_stream(device, &current);
    expect(current == static_cast<void*>(stream), "the current stream is the thread's own");
    // What deleting a guard returns is TENSOR.delete-guard-succeeds' alone.
    shims.aoti_torch_delete_cuda_stream_guard(stream_guard);
  }
  cuda.cudaGetDevice(&now);
  expect(now == device, "the current device is the thread's own");
  cuda.cudaStreamSynchronize(stream);
  cuda.cudaStreamDestroy(stream);
  shims.aoti_torch_delete_cuda_guard(guard);
  cuda.cudaGetDevice(&now);
  expect(now == 0, "the current device after the guard");
}

/// Skips where a shim that the threads call is missing.
void need_shims(Case& c) {
  for (const bool exported :
       {c.has(&AotiShimTable::aoti_torch_empty_strided), c.has(&AotiShimTable::aoti_torch_clone),
        c.has(&AotiShimTable::aoti_torch_create_tensor_from_blob),
        c.has(&AotiShimTable::aoti_torch_copy_),
        c.has(&AotiShimTable::aoti_torch_delete_tensor_object),
        c.has(&AotiShimTable::aoti_torch_create_cuda_guard),
        c.has(&AotiShimTable::aoti_torch_delete_cuda_guard),
        c.has(&AotiShimTable::aoti_torch_create_cuda_stream_guard),
        c.has(&AotiShimTable::aoti_torch_delete_cuda_stream_guard),
        c.has(&AotiShimTable::aoti_torch_get_current_cuda_stream)}) {
    if (!exported) c.skip("needs shims that the candidate does not export");
  }
}

void on_threads(Case& c) {
  const int32_t count = device_count(c);
  need_shims(c);
  std::vector<Worker> workers;
  workers.reserve(thread_count);
  for (int i = 0; i < thread_count; ++i) {
    workers.push_back({c.table(), cuda(c), i, i % count, "", 0});
  }
  std::vector<std::thread> threads;
  threads.reserve(workers.size());
  for (Worker& worker : workers) {
    threads.emplace_back([&worker] {
      for (int round = 0; round < rounds; ++round) worker.round();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Worker& worker : workers) {
    HAVE_WANT_AS(fmt::format("first wrong step of thread {}", worker.index), worker.wrong,
                 std::string());
    HAVE_WANT_AS(fmt::format("thread {} took steps", worker.index), worker.steps > rounds, true);
  }
}

/// A guard on one thread, step by step with another thread that looks: no luck is needed.
void guards_are_each_threads_own(Case& c) {
  const int32_t last = last_device(c);
  const Stream stream(c);
  const Guard guard = Guard::device(c, last);
  const Guard stream_guard = Guard::stream(c, stream.get(), 0);
  need_shims(c);
  const AotiShimTable& shims = c.table();
  int seen = -1;
  void* current = nullptr;
  AOTITorchError error = -1;
  std::thread([&] {
    cuda(c).cudaGetDevice(&seen);
    error = shims.aoti_torch_get_current_cuda_stream(0, &current);
  }).join();
  NEED(error, 0);
  HAVE_WANT_AS("current device of a thread without a guard", seen, 0);
  HAVE_WANT_AS("current stream of a thread without a guard, not the other thread's",
               current != static_cast<void*>(stream.get()), true);
}

}  // namespace

CLAUSE_CASES(TENSOR, metadata_device) {
  for (const char* name : {"float32", "int8", "int64"}) {
    for (int64_t rank = 0; rank <= 4; ++rank) {
      const DType& type = dtype(name);
      cases.add(fmt::format("{}_rank_{}", name, rank),
                [&type, rank](Case& c) { metadata(c, rank, type); });
    }
  }
}

CLAUSE_CASES(TENSOR, threads_device) {
  cases.add("work_of_their_own", on_threads);
  cases.add("guards_of_their_own", guards_are_each_threads_own);
}

}  // namespace aoti_cts::suite
