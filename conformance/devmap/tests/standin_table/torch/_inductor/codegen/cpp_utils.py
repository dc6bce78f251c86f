"""The table."""

DEVICE_TO_ATEN = {
    "cpu": "at::kCPU",
    "cuda": "at::kCUDA",
    "meta": "at::kMeta",
    "mps": "at::kMPS",
    "xpu": "at::kXPU",
}
