"""What a probe is: every choice that changes its result, and no other. Imports no torch: specs and pages may import this.

De Seyssel et al. 2025 print that probes are trained a language at a time with early stopping on the validation loss, and with
six seeds, which are the defaults here; of all else, size of the training part and patience among it, the paper prints nothing,
and the defaults are ours: `benchmarks/README.md` says how they were measured.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from isogloss.backend.option import Option

Classifier = Literal["linear softmax"]
"""One linear layer and a softmax over the tags."""

Pooling = Literal["mean", "first"]
POOLINGS: dict[Pooling, str] = {"mean": "Mean of sub-words", "first": "First sub-word"}
"""What stands for a word."""

Standardisation = Literal["none", "per layer"]
STANDARDISATIONS: dict[Standardisation, str] = {"per layer": "Standardised per layer", "none": "Not standardised"}
"""`none`: the vectors as the model gives them. `per layer`: each dimension of each layer has mean 0 and standard deviation 1
over the training words. A linear probe can learn the same either way; how fast it does differs."""

Optimiser = Literal["adam", "sgd"]
OPTIMISERS: dict[Optimiser, str] = {"adam": "AdamW", "sgd": "Gradient descent, momentum 0.9"}
"""Adam with decoupled weight decay (AdamW), or gradient descent with a momentum of 0.9 and the same decay."""


class ProbeOptions(BaseModel):
    """The options of `backend.training.probe.train.train_probes`. Equal options and features give equal probes."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    classifier: Classifier = "linear softmax"
    pooling: Annotated[
        Pooling, Option("A word's vector: the mean of its sub-words, or the first", "Word vector", POOLINGS, key="word_vector")
    ] = "mean"
    standardisation: Annotated[
        Standardisation,
        Option(
            "Whether features are brought to mean 0 and deviation 1, each dimension of each layer",
            "Features",
            STANDARDISATIONS,
            key="standardised",
        ),
    ] = "per layer"
    optimiser: Annotated[Optimiser, Option("adam, or sgd with momentum", "Optimiser", OPTIMISERS)] = "adam"
    learning_rate: Annotated[
        float,
        Option("Learning rate", "Learning rate", told="learning rate {:g}", key="rate", step=1e-4),
    ] = Field(default=1e-3, gt=0)
    batch: Annotated[int, Option("Words (or pairs) of an update", "Batch", told="batch {:,}")] = Field(default=32, ge=1)
    """The last batch of an epoch may have fewer."""
    weight_decay: Annotated[
        float,
        Option("Weight decay", "Weight decay", told="weight decay {:g}", key="decay", step=1e-4),
    ] = Field(default=0.0, ge=0)
    window: Annotated[int, Option("Words read together", told="windows of {:,} words", typed=False)] = Field(default=4096, ge=1)
    """So many words are drawn from all and read together; each seed goes through them in an order of its own. So features are
    read once an epoch. Rounded down to whole batches, but at least one."""
    patience: Annotated[
        int,
        Option(
            "Epochs in a row without a lower validation loss after which a probe stops",
            "Patience, epochs",
            told="patience {:,}",
        ),
    ] = Field(default=3, ge=1)
    """It goes back to the weights of the best epoch."""
    epochs: Annotated[
        int,
        Option("Epochs of a probe that does not stop", "Epochs at most", told="at most {:,} epoch|at most {:,} epochs"),
    ] = Field(default=50, ge=1)
    # By hand, on pages and commands: "all" or a size, a number of seeds, and control tasks as they are trained today.
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


QUICK = ProbeOptions().model_copy(update={"training_words": 3000, "seeds": (0, 1)})
"""Of a first look, which takes minutes."""
