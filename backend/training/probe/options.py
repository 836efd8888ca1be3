"""What a probe is: every choice that changes its result, and no other. Imports no torch: specs and pages may import this.

De Seyssel et al. 2025 print that probes are trained a language at a time with early stopping on the validation loss, and with
six seeds, which are the defaults here; of all else, size of the training part and patience among it, the paper prints nothing,
and the defaults are ours: `tests/benchmarks/README.md` says how they were measured.
"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Classifier = Literal["linear softmax"]
"""One linear layer and a softmax over the tags."""

Pooling = Literal["mean", "first"]
"""What stands for a word: the mean of its sub-words, or the first of them."""

Standardisation = Literal["none", "per layer"]
"""`none`: the vectors as the model gives them. `per layer`: each dimension of each layer has mean 0 and standard deviation 1
over the training words. A linear probe can learn the same either way; how fast it does differs."""

Optimiser = Literal["adam", "sgd"]
"""Adam with decoupled weight decay (AdamW), or gradient descent with a momentum of 0.9 and the same decay."""


class ProbeOptions(BaseModel):
    """The options of `backend.training.probe.train.train_probes`. Equal options and features give equal probes."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    classifier: Classifier = "linear softmax"
    pooling: Pooling = "mean"
    standardisation: Standardisation = "per layer"
    optimiser: Optimiser = "adam"
    learning_rate: float = Field(default=1e-3, gt=0)
    batch: int = Field(default=32, ge=1)
    """Training words (or pairs of sentences) of an update; the last of an epoch may have fewer."""
    weight_decay: float = Field(default=0.0, ge=0)
    window: int = Field(default=4096, ge=1)
    """So many words are drawn from all and read together; each seed goes through them in an order of its own. So features are
    read once an epoch. Rounded down to whole batches, but at least one."""
    patience: int = Field(default=3, ge=1)
    """A probe stops after so many epochs in a row without a lower validation loss, and goes back to the best one's weights."""
    epochs: int = Field(default=50, ge=1)
    """The most epochs of a probe that does not stop."""
    training_words: int | None = Field(default=100_000, ge=1)
    """Whole training sentences are drawn until they have so many words (for sentence pairs: so many pairs); None takes all."""
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    """Each is a probe of its own: other initial weights, another order of words and so other batches."""
    control: bool | Literal["by seed"] = True
    """Train the control task of Hewitt & Liang 2019 beside each probe, which gives the selectivity: tags drawn anew for each
    seed, which is what pages and commands ask for; True: once for all, as scores of before are."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if not self.seeds:
            raise ValueError("Probes need at least one seed.")
        if len(set(self.seeds)) != len(self.seeds):
            raise ValueError(f"Each seed may be given once, not {list(self.seeds)}.")
        if wrong := [seed for seed in self.seeds if not 0 <= seed < 2**31]:
            raise ValueError(f"Seeds must lie between 0 and 2147483647; {wrong[0]} does not.")
        return self
