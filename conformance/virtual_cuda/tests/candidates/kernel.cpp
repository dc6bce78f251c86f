// A runtime whose clone needs a kernel, as nvcc would have registered it; all else is the
// reference's.
#include <aoti_shim/types.h>

extern "C" {
void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name,
                            int thread_limit, void* tid, void* bid, void* block, void* grid,
                            int* warp);
struct dim3 {
  unsigned x, y, z;
};
int cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                     void* stream);

static char scale;  // stands for the kernel's host function

__attribute__((constructor)) static void register_kernels() {
  __cudaRegisterFunction(nullptr, &scale, nullptr, "_Z5scalePff", -1, nullptr, nullptr, nullptr,
                         nullptr, nullptr);
}

__attribute__((visibility("default"))) AOTITorchError aoti_torch_clone(AtenTensorHandle,
                                                                       AtenTensorHandle*) {
  return cudaLaunchKernel(&scale, {1, 1, 1}, {32, 1, 1}, nullptr, 0, nullptr);
}
}
