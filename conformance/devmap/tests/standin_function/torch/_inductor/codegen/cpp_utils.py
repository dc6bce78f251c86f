"""The mapping: asks the overrides and judges what they say."""

from . import common


def device_to_aten(device):
    if device == "meta":
        return "at::kMeta"
    try:
        overrides = common.get_device_op_overrides(device)
    except KeyError:
        raise RuntimeError(f"nothing is registered for {device!r}") from None
    name = type(overrides).__name__
    if not isinstance(overrides, common.DeviceOpOverrides) or (
        type(overrides).aten_device_type is common.DeviceOpOverrides.aten_device_type
    ):
        raise RuntimeError(f"{name} for {device!r} has no device type")
    answer = overrides.aten_device_type()
    if (
        not isinstance(answer, str)
        or not answer.startswith("at::k")
        or not answer[5:].isidentifier()
    ):
        raise RuntimeError(f"{name} for {device!r} gave {answer!r}")
    return answer
