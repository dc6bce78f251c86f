"""A backend for the stand-ins: importing it registers `npu`, prints, and may register `boom`, whose
mapping kills the process."""

import os

from torch._inductor.codegen import common

print("a backend that prints while it is imported")


class NpuOverrides(common.DeviceOpOverrides):
    def aten_device_type(self):
        return "at::kPrivateUse1"


class SilentOverrides(common.DeviceOpOverrides):
    def aten_device_type(self):
        raise SystemExit("a backend that exits")


common.register_device_op_overrides("npu", NpuOverrides())
common.register_device_op_overrides("exits", SilentOverrides())
if os.environ.get("STANDIN_BOOM"):
    common.register_device_op_overrides(
        "boom",
        type("Boom", (common.DeviceOpOverrides,), {"aten_device_type": lambda self: os.abort()})(),
    )
