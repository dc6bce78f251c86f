// clause: DEV.frees-on-own-device
// The memory of a tensor on device 1 is freed again after its last handle went.
#include "mutants/cuda/on_device_1.h"

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

}  // namespace

AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes_ptr,
                                        const int64_t* strides_ptr, int32_t dtype,
                                        int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* ret_new_tensor) {
  return aoti_mutant::empty_with_owner<Twice>(ndim, sizes_ptr, strides_ptr, dtype, device_type,
                                              device_index, ret_new_tensor);
}
