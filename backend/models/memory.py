"""How much memory a model may take here, and whether it fits: said by whoever loads it, and before anything starts.

Imports torch only for a GPU: pages ask `fits` of what a worker reported.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

BESIDE = {"cpu": 1 << 28, "cuda": 3 << 29}
"""Bytes that a batch needs beside the weights: hidden states of all layers, and what one layer makes of them."""
BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
TRIED = (
    *("apertus", "bert", "bloom", "deberta-v2", "eurobert", "gemma3_text", "gpt2", "llama", "m2m_100", "mbart", "mistral"),
    *("modernbert", "mt5", "olmo2", "qwen2", "qwen3", "t5", "xglm", "xlm-roberta"),
)
"""The architectures (`model_type`) whose vectors were compared, run layer by layer and whole: what does not fit is run so."""
_CGROUP = Path("/sys/fs/cgroup")


def fits(parameters: int, precision: str, kind: str, memory: int) -> bool:
    """Return whether so many weights, and what a batch needs beside them, fit into `memory` bytes of a `cpu` or `cuda`."""
    return parameters * BYTES[precision] + BESIDE[kind] <= memory


def allowed(memory: int, gib: float | None) -> int:
    """Return how much of `memory` bytes a model may take where the operator says so in GiB, or None."""
    return memory if gib is None else min(memory, int(gib * 2**30))


def said(size: float) -> str:
    """Say bytes as people do: `640 MB`, `16.1 GB`."""
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:,.0f} MB"


def free(device: torch.device) -> int:
    """Return the bytes that this process may still take on `device`: what is free, and what its limits leave."""
    if device.type == "cuda":
        import torch

        held = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
        return torch.cuda.mem_get_info(device)[0] + held
    return max(0, min([_available(), *_limits()]))


def _available() -> int:
    """Return what the system could give without swapping; where it does not say, all that it has."""
    with suppress(OSError, KeyError, ValueError):
        return _kilobytes("/proc/meminfo")["MemAvailable"]
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 1 << 62


def _limits() -> list[int]:
    """Return what the limits of this process (`ulimit -v`, `ulimit -d`) and of its container leave."""
    left = []
    with suppress(ImportError, OSError, KeyError, ValueError):
        import resource

        taken = _kilobytes("/proc/self/status")
        for which, name in ((resource.RLIMIT_AS, "VmSize"), (resource.RLIMIT_DATA, "VmData")):
            limit = resource.getrlimit(which)[0]
            if limit != resource.RLIM_INFINITY:
                left.append(limit - taken[name])
    with suppress(OSError, KeyError, ValueError):
        own = _CGROUP / Path("/proc/self/cgroup").read_text().strip().rpartition(":")[2].lstrip("/")
        of_files = dict(line.split() for line in (own / "memory.stat").read_text().splitlines())["inactive_file"]
        left.append(int((own / "memory.max").read_text()) - int((own / "memory.current").read_text()) + int(of_files))
    return left


def _kilobytes(path: str) -> dict[str, int]:
    """Read the lines `Name: 123 kB` of a file of the system, as bytes."""
    lines = (line.partition(":") for line in Path(path).read_text(encoding="ascii", errors="replace").splitlines())
    return {name: int(value.split()[0]) << 10 for name, _, value in lines if value.strip().endswith("kB")}
