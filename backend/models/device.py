"""Where models run and in which precision, and why. Imports torch: for workers, not for the web process."""

from __future__ import annotations

import os
from functools import cache

import torch

from isogloss.backend.errors import ModelError

VECTOR_MATH = (
    "acos",
    "asin",
    "atan",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "expm1",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "trunc",
)
"""What torch may leave to MKL's vector mathematics on a CPU."""


KINDS = ("cpu", "cuda")
WORKSPACE = "CUBLAS_WORKSPACE_CONFIG", ":4096:8"
"""What cuBLAS needs for equal products of equal numbers; it is read at the first product."""


def choose_device(setting: str) -> torch.device:
    """Return the device that `auto`, `cpu`, `cuda` or `cuda:1` means here. Raises `ModelError` where this machine lacks it.

    And where it is of a kind that nothing was tried on (`mps`, `xpu`, `meta`).
    """
    resolve_vector_math()
    os.environ.setdefault(*WORKSPACE)
    # cuDNN's makes a plan for every new shape of a batch, a fraction of a second each; flash and memory-efficient need none.
    torch.backends.cuda.enable_cudnn_sdp(False)
    if setting == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(setting)
    except RuntimeError as error:
        raise ModelError(f"ISOGLOSS_DEVICE is '{setting}', which is no device. Use auto, cpu, cuda or cuda:1.") from error
    if device.type not in KINDS or (device.type == "cpu" and device.index is not None):
        raise ModelError(
            f"ISOGLOSS_DEVICE is '{setting}'. Scores are computed on a CPU or on CUDA alone: they need float64, and no other "
            "device was compared with these. Use auto, cpu, cuda or cuda:1."
        )
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise ModelError(
            f"ISOGLOSS_DEVICE is '{setting}', but {torch.cuda.device_count()} GPUs are seen here. Use auto or cpu."
        )
    return device


def named(device: torch.device) -> str:
    """Return what is kept of a device: `cpu`, or `cuda (NVIDIA H100)`, since cards differ in speed and in their last digits."""
    return f"cuda ({torch.cuda.get_device_name(device)})" if device.type == "cuda" else str(device)


def choose_dtype(device: torch.device) -> tuple[torch.dtype, str]:
    """Return the precision for `device` and the reason, for people to read.

    bfloat16 without hardware for it is emulated: on a CPU some 200 times slower than float32.
    """
    if device.type != "cuda":
        return torch.float32, f"float32: the fastest exact choice on {device.type.upper()}"
    if torch.cuda.is_bf16_supported(including_emulation=False):
        return torch.bfloat16, f"bfloat16: {torch.cuda.get_device_name(device)} computes it in hardware"
    return torch.float32, f"float32: {torch.cuda.get_device_name(device)} has no bfloat16"


@cache
def resolve_vector_math() -> None:
    """Call each of MKL's vector functions once, on one thread.

    MKL 2024 looks up a function's kernel at its first call. Where that call comes from several threads at once, one of them may
    take a kernel of low accuracy for its share (2e-5 off instead of 1e-7), which made about one training run in 25 differ from
    the others of its seed: https://github.com/pytorch/pytorch/issues/188792.
    """
    for name in VECTOR_MATH:
        for kind in (torch.float32, torch.float64):
            getattr(torch, name)(torch.full((1,), 0.5, dtype=kind))
