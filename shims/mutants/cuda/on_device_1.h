// For mutants of how memory of device 1 is freed: a tensor whose memory an owner of the mutant's
// own gives back, in the one geometry that the clause's cases ask for there.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "mutants/mutant.h"
#include "tensor/tensor.h"

namespace aoti_mutant {

/// 96 bytes on device 1, whatever device is current; null where CUDA has none.
inline void* allocate_on_1() {
  int before = 0;
  void* memory = nullptr;
  if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(1) != cudaSuccess) return nullptr;
  cudaMalloc(&memory, 96);
  if (cudaSetDevice(before) != cudaSuccess) cudaSetDevice(before);
  return memory;
}

/// empty_strided, but for a float32 tensor of {4, 6} on device 1: that one borrows its memory, and
/// `Owner`, whose `inner` is the storage, frees it.
template <class Owner>
AOTITorchError empty_with_owner(int64_t ndim, const int64_t* sizes, const int64_t* strides,
                                int32_t dtype, int32_t device_type, int32_t device_index,
                                AtenTensorHandle* ret) {
  const bool hit = device_type == 1 && device_index == 1 && ndim == 2 && sizes[0] == 4 &&
                   sizes[1] == 6 && strides[0] == 6 && dtype == 6;
  if (!hit) {
    return ref_aoti_torch_empty_strided(ndim, sizes, strides, dtype, device_type, device_index,
                                        ret);
  }
  void* const memory = allocate_on_1();
  if (memory == nullptr) return 1;
  const auto owner = std::make_shared<Owner>();
  owner->inner = aoti_reference::Storage::borrow({aoti_reference::kCuda, 1}, memory, 96);
  const std::shared_ptr<aoti_reference::Storage> storage(owner, owner->inner.get());
  *ret = aoti_reference::release_handle(std::make_unique<aoti_reference::Tensor>(
      storage, aoti_reference::read_geometry(ndim, sizes, strides), 0,
      aoti_reference::DType::float32));
  return 0;
}

}  // namespace aoti_mutant
