// The portable builder, and the address arithmetic that both builders use.
#include "aoti_program/portable.h"

namespace aoti_cts::program {

void* address(const Program& program, const Tensor& tensor, const Memory& memory) {
  if (tensor.buffer != 0) {
    void* const base = memory.buffers[program.plans[tensor.plan].first_buffer + tensor.buffer - 1];
    // Integer arithmetic: the base may be an address of another device.
    return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(base) + tensor.offset);
  }
  const void* found = nullptr;
  if (tensor.where == Where::constant) {
    found = static_cast<const uint8_t*>(memory.file) + tensor.file_offset;
  } else if (tensor.where == Where::external && memory.external) {
    found = memory.external(tensor.name, tensor.bytes);
  }
  return const_cast<void*>(
      found);  // a view has one pointer; that constants are constant is its user's business
}

void build_portable(const Program& program, const Memory& memory, std::vector<TensorView>& out) {
  out.clear();
  out.reserve(program.tensors.size());
  for (const Tensor& tensor : program.tensors) {
    TensorView& view = out.emplace_back();
    view.plan = tensor.plan;
    view.value = tensor.value;
    view.scalar_type = tensor.scalar_type;
    view.rank = tensor.rank;
    view.dynamism = tensor.dynamism;
    view.device = tensor.device;
    view.sizes = program.sizes_of(tensor);
    view.dim_order = program.dim_order_of(tensor);
    view.strides = program.strides_of(tensor);
    view.bytes = tensor.bytes;
    view.data = address(program, tensor, memory);
    if (tensor.where == Where::initial) {
      view.initial = static_cast<const uint8_t*>(memory.file) + tensor.file_offset;
    }
  }
}

}  // namespace aoti_cts::program
