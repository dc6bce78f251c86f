// clause: DEV.frees-on-own-device
// Memory of device 1 goes back while whatever device is current.
#include "mutants/cuda/on_device_1.h"

namespace {

// A storage that gives its memory back without a look at the current device.
struct Loose {
  std::shared_ptr<aoti_reference::Storage> inner;
  ~Loose() {
    if (inner && cudaFree(inner->data()) != cudaSuccess) cudaFree(inner->data());
  }
};

}  // namespace

AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes_ptr,
                                        const int64_t* strides_ptr, int32_t dtype,
                                        int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* ret_new_tensor) {
  return aoti_mutant::empty_with_owner<Loose>(ndim, sizes_ptr, strides_ptr, dtype, device_type,
                                              device_index, ret_new_tensor);
}
