"""Where models run and in which precision, and why. Imports torch: for workers, not for the web process."""

from __future__ import annotations

import torch

from backend.errors import ModelError


def choose_device(setting: str) -> torch.device:
    """The device that `auto`, `cpu`, `cuda` or `cuda:1` means here. Raises `ModelError` where this machine lacks it."""
    if setting == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(setting)
    except RuntimeError as error:
        raise ModelError(f"ISOGLOSS_DEVICE is '{setting}', which is no device. Use auto, cpu, cuda or cuda:1.") from error
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise ModelError(
            f"ISOGLOSS_DEVICE is '{setting}', but {torch.cuda.device_count()} GPUs are seen here. Use auto or cpu."
        )
    return device


def choose_dtype(device: torch.device) -> tuple[torch.dtype, str]:
    """The precision for `device` and the reason, for people to read.

    bfloat16 without hardware for it is emulated: on a CPU some 200 times slower than float32.
    """
    if device.type != "cuda":
        return torch.float32, f"float32: the fastest exact choice on {device.type.upper()}"
    if torch.cuda.is_bf16_supported(including_emulation=False):
        return torch.bfloat16, f"bfloat16: {torch.cuda.get_device_name(device)} computes it in hardware"
    return torch.float32, f"float32: {torch.cuda.get_device_name(device)} has no bfloat16"
