"""The code generator's use of the mapping."""

from .cpp_utils import device_to_aten


class CppWrapperCpu:
    def codegen_device(self, device):
        token = device_to_aten(device.type)[5:].lower()
        self.used_cached_devices.add(token)
        return f"cached_torch_device_type_{token}, {device.index}"
