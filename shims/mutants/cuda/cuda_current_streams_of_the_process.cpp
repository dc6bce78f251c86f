// clause: TENSOR.threads-device
// get_current_cuda_stream reports the stream that any thread made current last.
#include <array>
#include <atomic>

#include "device/cuda/runtime.h"
#include "mutants/mutant.h"

namespace {

constexpr int32_t most = 8;
std::array<std::atomic<void*>, most> last;

// What this thread has now is what every thread sees.
void publish() {
  for (int32_t index = 0; index < most; ++index) {
    last[static_cast<std::size_t>(index)] = aoti_reference::current_stream(index);
  }
}

}  // namespace

AOTITorchError aoti_torch_create_cuda_stream_guard(void* stream, int32_t device_index,
                                                   CUDAStreamGuardHandle* ret_guard) {
  const AOTITorchError error =
      ref_aoti_torch_create_cuda_stream_guard(stream, device_index, ret_guard);
  publish();
  return error;
}

AOTITorchError aoti_torch_delete_cuda_stream_guard(CUDAStreamGuardHandle guard) {
  const AOTITorchError error = ref_aoti_torch_delete_cuda_stream_guard(guard);
  publish();
  return error;
}

AOTITorchError aoti_torch_get_current_cuda_stream(int32_t device_index, void** ret_stream) {
  const AOTITorchError error = ref_aoti_torch_get_current_cuda_stream(device_index, ret_stream);
  if (error == 0) *ret_stream = last[static_cast<std::size_t>(device_index)];
  return error;
}
