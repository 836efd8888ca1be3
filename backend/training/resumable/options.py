"""What the trainings of language models and of translation models are asked for alike. Imports no torch."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import BaseModel, Field, model_validator

from isogloss.backend.option import Option

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

    tokens: Annotated[int, Option("The budget: more are left out, fewer are repeated up to it", "Tokens")] = Field(ge=4)
    """A longer stream is cut to it; a shorter source is repeated up to it, a target where its protocol says so."""
    epochs: Annotated[int, Option("Passes over these tokens", "Epochs")] = Field(ge=1)
    batch: Annotated[int, Option("Windows per update; the last of an epoch may have fewer", "Batch")] = Field(default=32, ge=1)
    learning_rate: Annotated[
        float, Option("Of the first update; falls linearly to zero after the last", "Learning rate", step=1e-4)
    ] = Field(default=1e-4, gt=0)
    weight_decay: Annotated[float, Option("AdamW's, on all weights", "Weight decay")] = Field(default=0.01, ge=0)
    largest_gradient: float = Field(default=1.0, gt=0)
    """Gradients are scaled down to this norm."""

    def steps(self, windows: int) -> int:
        """Count the updates for so many windows."""
        return self.epochs * math.ceil(windows / self.batch)

    def learning_rate_at(self, step: int, steps: int) -> float:
        """Return the learning rate of `step` (1 is the first of `steps`)."""
        return self.learning_rate * (steps + 1 - step) / steps
