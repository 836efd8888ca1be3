"""What a fine-tuning run is: every choice that changes its result, and no other. Imports neither torch nor transformers.

Chi, Huang & Mao 2023, table 4, is `FinetuneOptions.published`; where the paper is silent, XTREME's (Hu et al. 2020). A field
that is left out means what it always meant, since specs are stored: table 4's column XNLI but for `patience` and `recipe`.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from isogloss.backend.files import added
from isogloss.backend.metrics.transfer import windows as igap_windows
from isogloss.backend.models.entry import Prefix
from isogloss.backend.option import Option

Algorithm = Literal["vanilla", "gaussian", "xtune"]
"""`vanilla`: cross-entropy. `gaussian`: cross-entropy on inputs whose word embeddings carry Gaussian noise. `xtune`: stage 1 of
Zheng et al. 2021, cross-entropy on the clean input and a symmetric KL that draws the noised input's prediction to it."""
ALGORITHMS: dict[Algorithm, str] = {"vanilla": "Vanilla", "gaussian": "Gaussian", "xtune": "xTune"}

Recipe = Literal["first", "trainer"]
"""`trainer`: as `transformers` has it. BERT's head has no dropout before its dense layer, which is its pooler
(`BertForSequenceClassification`), and weight decay spares biases and norms (`Trainer`). `first`: dropout on both sides of every
dense layer, and decay of all weights. The paper names neither; its models are Hugging Face's (appendix A)."""
RECIPES: dict[Recipe, str] = {"trainer": "Hugging Face classification head", "first": "Head of earlier versions"}

Setting = Literal["xnli", "paws-x", "parallel"]
"""The columns of table 4; `parallel` is a parallel corpus with random labels, the setting without task data."""

LEARNING_RATES: dict[Setting, tuple[float, ...]] = {
    "xnli": (5e-6, 1e-5, 2e-5),
    "paws-x": (5e-6, 1e-5, 2e-5),
    "parallel": (2e-5,),
}
"""What the paper's runs sweep over."""

EPOCHS: dict[Setting, int] = {"xnli": 40, "paws-x": 60, "parallel": 32}


@dataclass(frozen=True)
class Sweep:
    """Learning rates and epochs of a setting of its own."""

    learning_rates: tuple[float, ...]
    epochs: int


WITH_MNLI = Sweep((2e-5,), 5)
"""Of XNLI with MNLI as further training examples: table 9, appendix B. What it leaves out is taken from table 4. For MNLI alone
(table 5) the paper is silent: these are taken there too."""

Error = Annotated[float, Field(ge=0, le=1)]
Windows = tuple[tuple[Error, Annotated[float, Field(gt=igap_windows.TOLERANCE)]], ...]
"""Pairs `(at, epsilon)`: models whose training error lies in `[at, at + epsilon)`."""


class FinetuneOptions(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """The options of `backend.training.finetune.loop.finetune`. Equal options, data and weights give equal records.

    `FinetuneOptions()` is not as published: it stops early and has the head and decay of `recipe="first"`. Use `published()`.
    """

    algorithm: Annotated[Algorithm, Option("What is minimised", words=ALGORITHMS, typed=False)] = "vanilla"
    """A spec sweeps over it, as over the learning rate and the seed."""
    learning_rate: float = Field(default=2e-5, gt=0)
    """Reached after `warmup` of all steps and then fixed."""
    warmup: float = Field(default=0.1, ge=0, le=1)
    """The share of all steps in which the learning rate rises."""
    epochs: Annotated[
        int,
        Option(
            "Passes over the training examples; fewer where a run may stop early",
            "Epochs",
            told="{} epoch|{} epochs",
            always=True,
            key="train_epochs",
        ),
    ] = Field(default=EPOCHS["xnli"], ge=1)
    batch: Annotated[int, Option("Examples a step", "Batch", told="batches of {}", key="train_batch")] = Field(default=32, ge=1)
    weight_decay: float = Field(default=0.0, ge=0)
    noise: Annotated[
        float,
        Option(
            "Standard deviation of the Gaussian noise on word embeddings, whose mean is 0 (gaussian, xtune)",
            "Noise σ",
            told="noise {:g}",
            when={"algorithm": ("gaussian", "xtune")},
            key="train_noise",
            step=0.005,
        ),
    ] = Field(default=0.075, ge=0)
    consistency: Annotated[
        float,
        Option(
            "Weight of the symmetric KL divergence between the predictions of the clean and the noised input (xtune)",
            "KL weight λ₁",
            told="KL weight {:g}",
            when={"algorithm": ("xtune",)},
            key="train_kl",
            flag="--kl-weight",
            step=0.1,
        ),
    ] = Field(default=1.0, ge=0)
    largest_gradient: float = Field(default=1.0, gt=0)
    """Gradients are scaled down to this norm. The paper does not say; it is XTREME's value and that of `transformers`."""
    max_tokens: Annotated[
        int,
        Option(
            "Longer inputs lose the end of their longer text",
            "Max. sequence length",
            told="at most {} tokens a text",
            key="train_max_tokens",
        ),
    ] = Field(default=128, ge=4, le=2048)
    """The paper does not say; XTREME's baselines use 128."""
    record_every: Annotated[
        int, Option("Steps between two record points", "Evaluate every (steps)", key="train_record_every")
    ] = Field(default=10, ge=1)
    """The last step is a record point too."""
    patience: Annotated[
        int | None,
        Option(
            "Record points in a row with a training error of zero, after which a run ends. IGap is a minimum over all that was "
            "trained, so stopping early can only raise it; the paper's runs go on to the last epoch",
            "Stop after records at 0%",
            told="stopped after {} record without errors|stopped after {} records without errors",
            key="train_patience",
            flag="--stop-after",
            empty="Never",
        ),
    ] = Field(default=5, ge=1)
    """None to go on to the last epoch, as the paper does (table 4 has epochs and no rule to stop). The default is ours, and
    what stored specs without the field mean."""
    windows: Windows | Literal["all"] = ((0.0, 0.001),)
    """Where the target languages are evaluated: in these windows of the training error (and at the last step), or always."""
    compile: Annotated[
        bool, Option("torch.compile: faster on GPUs after a minute or so", "Compile", told="compiled", key="train_compile")
    ] = False
    """It rounds differently."""
    seed: int = Field(default=0, ge=0, lt=2**31)
    recipe: Annotated[
        Recipe,
        Option(
            "trainer: BERT's head without dropout before its dense layer, weight decay without biases, as in transformers; "
            "first: as in earlier versions",
            "Classifier",
            RECIPES,
            key="train_head",
        ),
    ] = added("first")
    """Not written at its default: runs from before there was a choice keep their keys. As published: `trainer`."""
    prefix: Prefix = ""
    """Of a pair, before each of its texts."""

    @classmethod
    def published(cls, setting: Setting = "xnli", **changes: Any) -> FinetuneOptions:
        """Return the options of a column of table 4 (its highest learning rate, without noise), with `changes`."""
        as_printed = {"epochs": EPOCHS[setting], "learning_rate": LEARNING_RATES[setting][-1]}
        return cls.model_validate(as_printed | {"patience": None, "recipe": "trainer"} | changes)

    def steps(self, examples: int) -> int:
        """Count the updates for so many training examples; the last batch of an epoch may be smaller."""
        return self.epochs * math.ceil(examples / self.batch)


def strongest(algorithms: Collection[str]) -> Algorithm:
    """Return the algorithm that has the options of all of these: xTune has Gaussian's, which has vanilla's."""
    return next(name for name in reversed(ALGORITHMS) if name in algorithms)


def nearest_setting(classes: int, *, is_pair: bool) -> Setting:
    """The column of table 4 that is nearest to a labelled task: pairs of texts with two classes are PAWS-X, others XNLI."""
    return "paws-x" if is_pair and classes == 2 else "xnli"


def record_interval(examples: int, batch: int) -> int:
    """Return the steps between two record points of examples without translations: those of an epoch.

    Their training error decides where no IGap is taken, and to ask a model for hundreds of thousands of examples every 10 steps
    would cost more than to train it.
    """
    return max(FinetuneOptions().record_every, math.ceil(examples / max(batch, 1)))


def learning_rate_at(step: int, steps: int, options: FinetuneOptions) -> float:
    """Return the learning rate of `step` (1 is the first of `steps`): linear up to the last step of the warm-up, then fixed."""
    warm = max(1, math.ceil(options.warmup * steps))
    return options.learning_rate * min(1.0, step / warm)


def matters(train_error: float, windows: Windows | Literal["all"]) -> bool:
    """Return whether a model of this training error can change an IGap in any of `windows`, by the rule of IGap itself."""
    return windows == "all" or any(igap_windows.matters(train_error, [at], epsilon).item() for at, epsilon in windows)
