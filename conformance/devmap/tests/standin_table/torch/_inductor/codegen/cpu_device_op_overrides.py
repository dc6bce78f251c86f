"""The CPU's overrides."""

from .common import DeviceOpOverrides


class CpuDeviceOpOverrides(DeviceOpOverrides):
    pass
