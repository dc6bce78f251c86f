// Why for_blob() with a target device and not from_blob() with options alone: without it ATen asks
// the driver where the pointer lives, which a null pointer and an absent device cannot answer.
#include "program/aten/aten.h"

#include <ATen/Context.h>
#include <ATen/ops/from_blob.h>

namespace aoti_cts::program {

at::Device aten_device(Device device) {
  return device.type == 0 ? at::Device(at::kCPU) : at::Device(at::kCUDA, device.index);
}

at::Tensor make_tensor(const Program& program, const Tensor& tensor, void* data) {
  const at::Device device = aten_device(tensor.device);
  const auto options =
      at::TensorOptions().dtype(static_cast<at::ScalarType>(tensor.scalar_type)).device(device);
  const bool no_bound = tensor.dynamism == Dynamism::unbounded;
  const int32_t* const first = program.sizes_of(tensor);
  const std::vector<int64_t> sizes =
      no_bound ? std::vector<int64_t>{0} : std::vector<int64_t>(first, first + tensor.rank);
  const at::IntArrayRef strides(program.strides_of(tensor), tensor.rank);
  at::TensorMaker maker = at::for_blob(no_bound ? nullptr : data, sizes);
  if (!no_bound) maker.strides(strides);
  at::Tensor made = maker.target_device(device).options(options).make_tensor();
  if (no_bound) {
    c10::StorageImpl* const storage = made.storage().unsafeGetStorageImpl();
    storage->set_allocator(at::getCPUAllocator());
    storage->set_resizable(true);
  }
  return made;
}

std::vector<at::Tensor> build_aten(const Program& program, const Memory& memory) {
  std::vector<at::Tensor> made;
  made.reserve(program.tensors.size());
  for (const Tensor& tensor : program.tensors) {
    made.push_back(make_tensor(program, tensor, address(program, tensor, memory)));
  }
  return made;
}

void set_data(const at::Tensor& tensor, void* data) {
  tensor.storage().unsafeGetStorageImpl()->set_data_ptr_noswap(at::DataPtr(data, tensor.device()));
}

}  // namespace aoti_cts::program
