// The built-in devices. Only those with a device type of their own answer; tpu shares the no-op
// overrides and mtia has overrides without a device type, so both stay errors.
#include "device_map/device_map.h"

namespace aoti_cts::device_map {
namespace {

Value text(const char* answer) { return {Value::Kind::Text, answer, 0}; }

/// Overrides of an accelerator: the name of its Python module gives the source text.
class AcceleratorOverrides : public DeviceOpOverrides {
 public:
  AcceleratorOverrides(std::string class_name, std::string module, std::string kernel_type)
      : class_name_(std::move(class_name)),
        module_(std::move(module)),
        kernel_type_(std::move(kernel_type)) {}

  std::string class_name() const override { return class_name_; }

  std::string code(Op op, std::int64_t device_index) const override {
    const std::string index = std::to_string(device_index);
    switch (op) {
      case Op::SetDevice:
        return module_ + ".set_device(" + index + ")";
      case Op::Synchronize:
        return module_ + ".synchronize()";
      case Op::DeviceGuard:
        return module_ + ".device(" + index + ")";
      case Op::KernelType:
        if (!kernel_type_.empty()) return kernel_type_;
        break;
    }
    return DeviceOpOverrides::code(op, device_index);
  }

 private:
  std::string class_name_;
  std::string module_;
  std::string kernel_type_;  ///< empty: not implemented
};

class TypedAcceleratorOverrides : public AcceleratorOverrides {
 public:
  TypedAcceleratorOverrides(std::string class_name, std::string module, std::string kernel_type,
                            const char* answer)
      : AcceleratorOverrides(std::move(class_name), std::move(module), std::move(kernel_type)),
        answer_(answer) {}
  std::optional<Value> aten_device_type() const override { return text(answer_); }

 private:
  const char* answer_;
};

/// One device and no index to set: the no-op ones, a kernel type and a device type.
class MpsDeviceOpOverrides : public NoOpDeviceOpOverrides {
 public:
  std::string class_name() const override { return "MPSDeviceOpOverrides"; }
  std::optional<Value> aten_device_type() const override { return text("at::kMPS"); }
  std::string code(Op op, std::int64_t device_index) const override {
    if (op == Op::KernelType) return "MTLFunction_t";
    return NoOpDeviceOpOverrides::code(op, device_index);
  }
};

}  // namespace

std::optional<Value> CpuDeviceOpOverrides::aten_device_type() const { return text("at::kCPU"); }

std::vector<std::pair<std::string, Overrides>> builtin_overrides() {
  return {
      {"cpu", std::make_shared<CpuDeviceOpOverrides>()},
      {"cuda", std::make_shared<TypedAcceleratorOverrides>("CUDADeviceOpOverrides", "torch.cuda",
                                                           "CUfunction", "at::kCUDA")},
      {"mps", std::make_shared<MpsDeviceOpOverrides>()},
      {"mtia", std::make_shared<AcceleratorOverrides>("MTIADeviceOpOverrides", "torch.mtia", "")},
      {"tpu", std::make_shared<NoOpDeviceOpOverrides>()},
      {"xpu",
       std::make_shared<TypedAcceleratorOverrides>("XPUDeviceOpOverrides", "torch.xpu",
                                                   "std::unique_ptr<sycl::kernel>", "at::kXPU")},
  };
}

}  // namespace aoti_cts::device_map
