// A model for one CUDA device, as generated code that has no kernel of its own: it makes its device
// and stream current, allocates there, copies its input, and hands out a view and a clone.
#include <cstdlib>
#include <cstring>

#include "model.h"

#ifndef AOTI_INDEX_OF  // a mutant reads another
#define AOTI_INDEX_OF(text) static_cast<int32_t>(std::strtol(text, nullptr, 10))
#endif

namespace aoti_model {
namespace {

/// The index of `cuda:N`, or 0 for `cuda`.
int32_t index_of(const char* device) {
  const char* colon = std::strchr(device, ':');
  return colon == nullptr ? 0 : AOTI_INDEX_OF(colon + 1);
}

class DeviceGuard {
 public:
  explicit DeviceGuard(int32_t index) { AOTI_CALL(aoti_torch_create_cuda_guard(index, &handle_)); }
  ~DeviceGuard() { static_cast<void>(aoti_torch_delete_cuda_guard(handle_)); }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  CUDAGuardHandle handle_ = nullptr;
};

class StreamGuard {
 public:
  StreamGuard(void* stream, int32_t index) {
    AOTI_CALL(aoti_torch_create_cuda_stream_guard(stream, index, &handle_));
  }
  ~StreamGuard() { static_cast<void>(aoti_torch_delete_cuda_stream_guard(handle_)); }
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;

 private:
  CUDAStreamGuardHandle handle_ = nullptr;
};

class OnDevice : public Model {
 public:
  explicit OnDevice(const char* device) : index_(index_of(device)) {}

  void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override {
    const DeviceGuard device(index_);
    const StreamGuard stream(nullptr, index_);  // Run's stream is null: the default one
    const Ints sizes = {4, 6};
    const Ints strides = {6, 1};
    AtenTensorHandle made = nullptr;
    AOTI_CALL(aoti_torch_empty_strided(2, sizes.begin(), strides.begin(), cached_float32,
                                       aoti_torch_device_type_cuda(), index_, &made));
    Handle buffer(made);
    AOTI_CALL(aoti_torch_copy_(buffer, inputs[0], 0));
    inputs[0].reset();
    const Handle rows = reinterpret(buffer, {2, 6}, {6, 1}, 6);
    outputs[1] = clone(rows).release();
    outputs[0] = buffer.release();
  }

 private:
  int32_t index_;
};

}  // namespace
}  // namespace aoti_model

AOTI_MODEL(OnDevice, 1, 2)
