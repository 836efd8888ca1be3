"""What a pre-training run is: every choice that changes its result, and no other. Imports neither torch nor transformers."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from isogloss.backend.training.resumable.options import Heads

Objective = Literal["mlm", "mlm+contrast"]
"""`mlm`: a step is one update for masked language modelling. `mlm+contrast`: a step is that and, after it, one update for a
contrast of sentences with their translations (Chi et al. 2021, InfoXLM). So at equal steps both have seen as many masks."""

LANDMARKS = (0, 10, 30, 100, 300, 600, 1000)


def default_checkpoints(steps: int) -> tuple[int, ...]:
    """Choose the steps to keep: dense early, sparse late, with step 0 and the last; beyond 1,000 they double."""
    marks = [*LANDMARKS]
    while marks[-1] < steps:
        marks.append(marks[-1] * 2)
    return (*(step for step in marks if step < steps), steps)


class PretrainOptions(Heads):
    """The options of `backend.training.encoder.pretrain.pretrain`. Equal options and an equal corpus give an equal model."""

    objective: Objective = "mlm"
    languages: tuple[str, ...] = ()
    """BCP-47 tags of the languages to train on; empty for all that the corpus has."""
    layers: int = Field(default=4, ge=1, le=48)
    dims: int = Field(default=128, ge=4)
    heads: int = Field(default=4, ge=1)
    feed_forward: int | None = Field(default=None, ge=1)
    """Width of the feed-forward layers; four times `dims` if not given."""
    vocabulary: int = Field(default=8000, ge=64, le=250_000)
    """Entries of the tokeniser, the five special tokens included (a small corpus may give fewer)."""
    max_tokens: int = Field(default=128, ge=8, le=512)
    """Longer sentences are cut to this many tokens in training, special tokens included."""
    steps: int = Field(default=2000, ge=1)
    batch: int = Field(default=32, ge=2)
    """Sentences of a masked update, translation pairs of a contrast update."""
    learning_rate: float = Field(default=1e-3, gt=0)
    """The highest; reached after `warmup` steps and lowered linearly to zero at the last step."""
    warmup: int = Field(default=100, ge=0)
    weight_decay: float = Field(default=0.01, ge=0)
    dropout: float = Field(default=0.1, ge=0, lt=1)
    masked: float = Field(default=0.15, gt=0, lt=1)
    """Share of tokens to predict."""
    contrast_layer: int = Field(default=3, ge=1)
    """The layer whose mean-pooled states the contrast draws together (1 is the first after the input embedding)."""
    temperature: float = Field(default=0.05, gt=0)
    checkpoints: tuple[int, ...] = ()
    """Steps to keep; `default_checkpoints(steps)` if empty."""
    held_out: int = Field(default=200, ge=0)
    """How many sentences, in every language, are never trained on."""
    held_out_from: Literal["last", "random"] = "last"
    """`last` keeps documents whole where the corpus is in document order; `random` draws by `seed`."""
    precision: Literal["float16", "float32"] = "float32"
    """How checkpoints are stored; training is in float32 either way."""
    seed: int = Field(default=0, ge=0, lt=2**31)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.objective == "mlm+contrast" and self.contrast_layer > self.layers:
            raise ValueError(f"contrast_layer ({self.contrast_layer}) is beyond the last layer ({self.layers}).")
        if self.warmup > self.steps and self.warmup != type(self).model_fields["warmup"].default:
            raise ValueError(f"warmup ({self.warmup}) must not exceed steps ({self.steps}).")
        if wrong := [step for step in self.checkpoints if not 0 <= step <= self.steps]:
            raise ValueError(f"Checkpoints must lie between 0 and {self.steps}, the number of steps; {wrong[0]} does not.")
        return self

    def kept(self) -> tuple[int, ...]:
        """Return the steps at which a checkpoint is written, ascending."""
        return tuple(sorted(set(self.checkpoints))) or default_checkpoints(self.steps)
