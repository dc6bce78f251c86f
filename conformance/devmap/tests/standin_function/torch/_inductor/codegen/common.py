"""Overrides and their registry."""

device_op_overrides_dict = {}
_built_in = False


class DeviceOpOverrides:
    def aten_device_type(self):
        raise NotImplementedError


class NoOpDeviceOpOverrides(DeviceOpOverrides):
    def set_device(self, index):
        return "pass"

    def synchronize(self):
        return "pass"

    def device_guard(self, index):
        return "nullcontext()"

    def cpp_kernel_type(self):
        return "void*"


class MTIADeviceOpOverrides(DeviceOpOverrides):
    pass


def typed(name, base, answer):
    return type(
        name,
        (base,),
        {
            "aten_device_type": lambda self: answer,
            "set_device": lambda self, index: f"set({index})",
        },
    )


CudaDeviceOpOverrides = typed("CudaDeviceOpOverrides", DeviceOpOverrides, "at::kCUDA")
XpuDeviceOpOverrides = typed("XpuDeviceOpOverrides", DeviceOpOverrides, "at::kXPU")
MpsDeviceOpOverrides = typed("MpsDeviceOpOverrides", DeviceOpOverrides, "at::kMPS")


def register_device_op_overrides(device, overrides):
    device_op_overrides_dict[device] = overrides


def get_device_op_overrides(device):
    global _built_in
    if not _built_in:
        _built_in = True
        from .cpu_device_op_overrides import CpuDeviceOpOverrides

        built_in = {
            "cpu": CpuDeviceOpOverrides,
            "cuda": CudaDeviceOpOverrides,
            "xpu": XpuDeviceOpOverrides,
            "mps": MpsDeviceOpOverrides,
            "mtia": MTIADeviceOpOverrides,
            "tpu": NoOpDeviceOpOverrides,
        }
        for name, overrides in built_in.items():
            if name not in device_op_overrides_dict:
                register_device_op_overrides(name, overrides())
    return device_op_overrides_dict[device]
