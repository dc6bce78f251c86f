// ATen builder: from checked descriptions to real at::Tensors over real libtorch. Adds pointers and
// devices and decides nothing.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "aoti_program/portable.h"

namespace aoti_cts::program {

/// The device of a description as ATen names it: a CPU has no index there.
at::Device aten_device(Device device);

/// One tensor over memory that is not looked at: a null pointer or an address of a device that this
/// machine lacks will do. A tensor without a bound starts empty and grows on the CPU.
///
/// @throws c10::Error where ATen has no such tensor; the core refuses what is known to lead there
at::Tensor make_tensor(const Program& program, const Tensor& tensor, void* data);

/// One tensor for each description, in the same order.
std::vector<at::Tensor> build_aten(const Program& program, const Memory& memory);

/// Binds other memory. Storage and tensor stay on their device: the storage's pointer says where it
/// is, so it is told again.
void set_data(const at::Tensor& tensor, void* data);

}  // namespace aoti_cts::program
