"""What the trainings of language models and of translation models are asked for alike. Imports no torch."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, Self

from pydantic import BaseModel, Field, model_validator

Training = Literal["pre-training", "tuning"]

Precision = Literal["auto", "float32", "bfloat16"]
"""What products are computed in; weights are float32. `auto`: bfloat16 on GPUs that compute it in hardware, else float32."""


class Heads(BaseModel, frozen=True, extra="forbid"):
    """The shape of a transformer: its attention heads share its width among them."""

    if TYPE_CHECKING:  # fields of each one's own, at their places among the others
        dims: int
        heads: int

    @model_validator(mode="after")
    def _whole_heads(self) -> Self:
        if self.dims % self.heads:
            raise ValueError(f"dims ({self.dims}) must be a multiple of heads ({self.heads}).")
        return self


class Stage(BaseModel, frozen=True, extra="forbid"):
    """One training: pre-training on a source, or tuning on a target."""

    tokens: int = Field(ge=4)
    """The budget: a longer stream is cut to it; a shorter source is repeated up to it, a target where its protocol says so."""
    epochs: int = Field(ge=1)
    batch: int = Field(default=32, ge=1)
    """Windows of an update; the last of an epoch may have fewer."""
    learning_rate: float = Field(default=1e-4, gt=0)
    """Of the first update; it falls linearly to zero after the last."""
    weight_decay: float = Field(default=0.01, ge=0)
    """AdamW's, on all weights."""
    largest_gradient: float = Field(default=1.0, gt=0)
    """Gradients are scaled down to this norm."""

    def steps(self, windows: int) -> int:
        """Count the updates for so many windows."""
        return self.epochs * math.ceil(windows / self.batch)

    def learning_rate_at(self, step: int, steps: int) -> float:
        """Return the learning rate of `step` (1 is the first of `steps`)."""
        return self.learning_rate * (steps + 1 - step) / steps
