"""Overrides and their registry, which is filled only where it is empty."""

device_op_overrides_dict = {}


class DeviceOpOverrides:
    def set_device(self, index):
        return f"set_device({index})"


def register_device_op_overrides(device, overrides):
    device_op_overrides_dict[device] = overrides


def get_device_op_overrides(device):
    if not device_op_overrides_dict:
        for name in ("cpu", "cuda", "xpu", "mps"):
            register_device_op_overrides(name, DeviceOpOverrides())
    return device_op_overrides_dict[device]
