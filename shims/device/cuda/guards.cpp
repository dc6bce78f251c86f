// The shims of the cuda tier: device guards, stream guards, and the current stream.
//
// A guard remembers what it found and puts that back when it is deleted, so guards nest as long as
// they are deleted in reverse order. A refused index or stream changes nothing and makes no guard.
#include <aoti_shim/shim.h>

#include <memory>

#include "device/cuda/runtime.h"

namespace reference = aoti_reference;

namespace {

struct DeviceGuard {
  int32_t before;
};

struct StreamGuard {
  int32_t before;
  int32_t index;
  cudaStream_t stream_before;
};

int32_t current_device() {
  int32_t index = 0;
  reference::check_cuda(cudaGetDevice(&index), "cudaGetDevice");
  return index;
}

// A stream belongs to the device that was current when it was made; the default stream is
// everyone's.
void check_stream(cudaStream_t stream, int32_t index) {
#if CUDART_VERSION >= 12080
  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread) return;
  int32_t owner = 0;
  reference::check_cuda(cudaStreamGetDevice(stream, &owner), "cudaStreamGetDevice");
  if (owner != index) {
    reference::refuse("device_index", index, "that of the stream, " + std::to_string(owner));
  }
#else
  (void)stream, (void)index;
#endif
}

}  // namespace

AOTITorchError aoti_torch_create_cuda_guard(int32_t device_index, CUDAGuardHandle* ret_guard) {
  return reference::guarded(__func__, [&] {
    reference::require_not_null(ret_guard, "ret_guard");
    const int32_t index = reference::check_index(device_index);
    auto guard = std::make_unique<DeviceGuard>(DeviceGuard{current_device()});
    reference::check_cuda(cudaSetDevice(index), "cudaSetDevice");
    *ret_guard = reinterpret_cast<CUDAGuardHandle>(guard.release());
  });
}

AOTITorchError aoti_torch_delete_cuda_guard(CUDAGuardHandle guard) {
  return reference::guarded(__func__, [&] {
    const std::unique_ptr<DeviceGuard> owned(reinterpret_cast<DeviceGuard*>(guard));
    if (!owned) return;
    reference::check_cuda(reference::restore_device(owned->before), "cudaSetDevice");
  });
}

AOTITorchError aoti_torch_cuda_guard_set_index(CUDAGuardHandle guard, int32_t device_index) {
  return reference::guarded(__func__, [&] {
    reference::require_not_null(guard, "guard");
    reference::check_cuda(cudaSetDevice(reference::check_index(device_index)), "cudaSetDevice");
  });
}

AOTITorchError aoti_torch_create_cuda_stream_guard(void* stream, int32_t device_index,
                                                   CUDAStreamGuardHandle* ret_guard) {
  return reference::guarded(__func__, [&] {
    reference::require_not_null(ret_guard, "ret_guard");
    const int32_t index = reference::check_index(device_index);
    auto* const handle = static_cast<cudaStream_t>(stream);
    check_stream(handle, index);
    auto guard = std::make_unique<StreamGuard>(
        StreamGuard{current_device(), index, reference::current_stream(index)});
    reference::set_current_stream(index, guard->stream_before);  // makes room, which may throw
    reference::check_cuda(cudaSetDevice(index), "cudaSetDevice");
    reference::set_current_stream(index, handle);
    *ret_guard = reinterpret_cast<CUDAStreamGuardHandle>(guard.release());
  });
}

AOTITorchError aoti_torch_delete_cuda_stream_guard(CUDAStreamGuardHandle guard) {
  return reference::guarded(__func__, [&] {
    const std::unique_ptr<StreamGuard> owned(reinterpret_cast<StreamGuard*>(guard));
    if (!owned) return;
    reference::set_current_stream(owned->index, owned->stream_before);
    reference::check_cuda(reference::restore_device(owned->before), "cudaSetDevice");
  });
}

AOTITorchError aoti_torch_get_current_cuda_stream(int32_t device_index, void** ret_stream) {
  return reference::guarded(__func__, [&] {
    reference::require_not_null(ret_stream, "ret_stream");
    *ret_stream = reference::current_stream(reference::check_index(device_index));
  });
}
