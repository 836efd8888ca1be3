"""What the sections of `benchmarks.gpu` share: where they run, a clock that waits for the device, a line of the table."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from tests.models.tiny import SENTENCES, tiny_model

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PEAKS = {"H100 PCIe": 756e12, "H100": 989e12, "H200": 989e12, "A100": 312e12, "L4": 121e12, "L40": 181e12, "A10G": 70e12}
"""Operations a second in bfloat16 without sparsity, by what the name of a card holds, the longer names first."""


@dataclass(frozen=True)
class Line:
    """A line of the table."""

    section: str
    what: str
    value: str
    beside: str = ""
    """A limit, a goal or the other side."""
    failed: bool = False


@dataclass(frozen=True)
class Place:
    """Where it is measured, at which sizes, and until when."""

    device: torch.device
    small: bool
    deadline: float

    @property
    def on_gpu(self) -> bool:
        return self.device.type == "cuda"

    def left(self) -> float:
        """Seconds until no section begins."""
        return self.deadline - time.monotonic()

    def size(self, small: int, whole: int) -> int:
        return small if self.small else whole

    def wait(self) -> None:
        if self.on_gpu:
            torch.cuda.synchronize(self.device)

    def begin(self) -> None:
        if self.on_gpu:
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats(self.device)

    def peak(self) -> int | None:
        return torch.cuda.max_memory_allocated(self.device) if self.on_gpu else None

    def seconds(self, work: Callable[[], object]) -> float:
        """Seconds that `work` takes, until the device is done."""
        self.wait()
        started = time.perf_counter()
        work()
        self.wait()
        return time.perf_counter() - started

    def median(self, work: Callable[[], object], times: int = 3) -> float:
        """The median of some runs after one that warms up."""
        work()
        return statistics.median(self.seconds(work) for _ in range(times))

    def product(self, dtype: torch.dtype, size: int = 4096) -> float:
        """Operations a second of a square product, by which the shares of peak go where the card is not known."""
        size = size if self.on_gpu else 1024
        a, b = (torch.randn(size, size, device=self.device, dtype=torch.float32).to(dtype) for _ in range(2))
        return 2.0 * size**3 / self.median(lambda: a @ b)

    def peak_flops(self, dtype: torch.dtype) -> tuple[float, str]:
        """Operations a second at most, and where that is from: the card's own number, or a bare product."""
        name = torch.cuda.get_device_name(self.device) if self.on_gpu else ""
        for known, flops in PEAKS.items():
            if known in name and dtype == torch.bfloat16:
                return flops, f"{known}: {flops / 1e12:.0f} TFLOP/s"
        flops = self.product(dtype)
        return flops, f"bare product: {flops / 1e12:.2f} TFLOP/s"


def duration(seconds: float) -> str:
    """Seconds as people read them."""
    if seconds < 1:
        return f"{seconds * 1e3:.1f} ms"
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def written_model(place: Place, folder: Path) -> None:
    """Write a random model of XLM-R base's shape (12 layers × 768) with a small vocabulary to `folder/model`."""
    from transformers import AutoTokenizer, XLMRobertaConfig, XLMRobertaModel

    tiny_model(folder / "model", "xlm-roberta", positions=512)
    layers, dims, heads = (3, 96, 4) if place.small else (12, 768, 12)
    config = XLMRobertaConfig(
        vocab_size=len(AutoTokenizer.from_pretrained(folder / "model")),
        hidden_size=dims,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * dims,
        max_position_embeddings=514,
        type_vocab_size=1,
    )
    torch.manual_seed(0)
    XLMRobertaModel(config).save_pretrained(folder / "model")


def written_texts(place: Place, n: int, seed: int = 0) -> list[str]:
    """Make up sentences as long as those of news: log-normal, with a long tail."""
    drawn = np.random.default_rng(seed)
    words = [word for sentence in SENTENCES for word in sentence.split()]
    lengths = np.clip(drawn.lognormal(2.2, 0.5, n).astype(int), 2, 60)
    return [" ".join(drawn.choice(words, length)) for length in lengths]
