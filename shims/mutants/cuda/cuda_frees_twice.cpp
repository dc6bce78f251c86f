// clause: DEV.frees-on-own-device
// The memory of a tensor on device 1 is freed again after its last handle went.
#include <cuda_runtime_api.h>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

namespace {

// A storage that frees its memory where it should, and once more.
struct Twice {
  std::shared_ptr<aoti_reference::Storage> inner;
  ~Twice() {
    if (!inner) return;
    int before = 0;
    if (cudaGetDevice(&before) != cudaSuccess) cudaGetDevice(&before);
    if (cudaSetDevice(1) != cudaSuccess) cudaSetDevice(1);
    if (cudaFree(inner->data()) != cudaSuccess) cudaFree(inner->data());
    cudaFree(inner->data());
    cudaGetLastError();
    if (cudaSetDevice(before) != cudaSuccess) cudaSetDevice(before);
  }
};

void* allocate_on_1(std::size_t bytes) {
  int before = 0;
  void* memory = nullptr;
  if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(1) != cudaSuccess) return nullptr;
  cudaMalloc(&memory, bytes);
  if (cudaSetDevice(before) != cudaSuccess) cudaSetDevice(before);
  return memory;
}

}  // namespace

AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes_ptr,
                                        const int64_t* strides_ptr, int32_t dtype,
                                        int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* ret_new_tensor) {
  const bool hit = device_type == 1 && device_index == 1 && ndim == 2 && sizes_ptr[0] == 4 &&
                   sizes_ptr[1] == 6 && strides_ptr[0] == 6 && dtype == 6;
  if (!hit) {
    return ref_aoti_torch_empty_strided(ndim, sizes_ptr, strides_ptr, dtype, device_type,
                                        device_index, ret_new_tensor);
  }
  void* const memory = allocate_on_1(96);
  if (memory == nullptr) return 1;
  const auto twice = std::make_shared<Twice>();
  twice->inner = aoti_reference::Storage::borrow({aoti_reference::kCuda, 1}, memory, 96);
  const std::shared_ptr<aoti_reference::Storage> storage(twice, twice->inner.get());
  *ret_new_tensor = aoti_reference::release_handle(std::make_unique<aoti_reference::Tensor>(
      storage, aoti_reference::read_geometry(ndim, sizes_ptr, strides_ptr), 0,
      aoti_reference::DType::float32));
  return 0;
}
