"""The CPU's overrides."""

from .common import NoOpDeviceOpOverrides


class CpuDeviceOpOverrides(NoOpDeviceOpOverrides):
    def aten_device_type(self):
        return "at::kCPU"
