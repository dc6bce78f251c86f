"""The code generator's use of the table."""

from .cpp_utils import DEVICE_TO_ATEN


class CppWrapperCpu:
    def codegen_device(self, device):
        token = DEVICE_TO_ATEN[device.type][5:].lower()
        self.used_cached_devices.add(token)
        return f"cached_torch_device_type_{token}, {device.index}"
