"""What a language model's pre-training and tuning are: every choice that changes a score, and no other. Imports no torch.

The defaults are those of Boldt & Mortensen 2024 (XferBench), appendix A.1. Of the order of texts, of what is held out and how
much of it is scored the paper prints nothing: `file order` is what stored options without the field mean, and `preset("paper")`
draws an order in its place; the rest is our choice.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from isogloss.backend.files import added
from isogloss.backend.option import Option
from isogloss.backend.training.resumable.options import Heads, Precision, Stage

Protocol = Literal["correct", "printed", "released", "released-2024-12"]
"""`correct`: held-out text is never seen and each of its tokens is scored once. `printed`: the same, and a target shorter than
the budget is repeated up to it, as the paper's section 3.2 says. `released`: what the published code does at its tag `naacl24`,
`released-2024-12`: what it does since 11 December 2024. `backend.training.language_model.target`, `.evaluate` and `.released`
say where they differ."""

PROTOCOLS: dict[Protocol, str] = {
    "correct": "Corrected",
    "printed": "As printed",
    "released": "As the released code",
    "released-2024-12": "Released, since 12/2024",
}
MEANINGS: dict[Protocol, str] = {
    "correct": "held-out text is never seen, a short target is tuned on for fewer updates",
    "printed": "the same, but a short target is repeated (section 3.2)",
    "released": "the authors' code at its tag naacl24, which the paper's numbers come from",
    "released-2024-12": "that code since 11 December 2024, which shuffles texts",
}
PROTOCOL = Option(
    "; ".join(f"{name}: {what}" for name, what in MEANINGS.items()), "Protocol", PROTOCOLS, always=True, key="bench_protocol"
)
"""Of every spec's field that chooses one."""

Text = Literal["file order", "random order", "released", "released-2024-12"]
"""Which of a text is taken, where it is more than a budget. `file order`: what comes first. `random order`: what a draw by the
seed brings first, so that nothing hangs on how a file is sorted. `released` and `released-2024-12`: what the published code
takes, and how it cuts it (`backend.training.language_model.released`)."""
TEXTS: dict[Text, str] = {
    "file order": "The first of a file",
    "random order": "A random draw",
    "released": "As the released code",
    "released-2024-12": "Released, since 12/2024",
}


def is_released(name: Protocol | Text) -> bool:
    """Return whether a protocol, or the text that is read, is that of the authors' code at any time."""
    return name in ("released", "released-2024-12")


class Architecture(Heads):
    """The shape of a GPT-2. Output and input embedding are one table."""

    layers: Annotated[int, Option("Of the transformer", "Layers")] = Field(default=6, ge=1, le=48)
    heads: Annotated[int, Option("Of each layer", "Attention heads")] = Field(default=6, ge=1)
    dims: Annotated[int, Option("A multiple of the heads", "Dimensions")] = Field(default=768, ge=4)
    context: Annotated[int, Option("Tokens that a window has; the first is not predicted", "Context")] = Field(
        default=256, ge=4, le=4096
    )
    vocabulary: Annotated[int, Option("Embeddings of the model: 256 bytes and the end of a text at least", "Vocabulary")] = (
        Field(default=30_000, ge=257, le=250_000)
    )
    dropout: float = Field(default=0.1, ge=0, lt=1)
    """Of embeddings, attention weights and what is added to the residual stream, as in GPT-2."""

    @property
    def parameters(self) -> int:
        """How many numbers the model has."""
        block = 12 * self.dims**2 + 13 * self.dims
        return self.layers * block + (self.vocabulary + self.context + 2) * self.dims

    @property
    def training_flop(self) -> int:
        """Floating-point operations to train on one token, as Chowdhery et al. 2022 (PaLM), appendix B, count them.

        Six for each parameter that it is multiplied with, and its attention to a whole window.
        """
        multiplied = 12 * self.layers * self.dims**2 + self.vocabulary * self.dims
        return 6 * (multiplied + 2 * self.layers * self.context * self.dims)


BEFORE_TUNING = ("architecture", "pretraining", "precision", "compile", "seed", "text")
"""Options that a pre-trained model depends on."""


class LanguageModelOptions(BaseModel, frozen=True, extra="forbid"):
    """The options of `pretrain`, `tune` and the text of a target. Equal options and texts give equal scores on one device."""

    architecture: Architecture = Architecture()
    pretraining: Stage = Stage(tokens=15_000_000, epochs=5)
    tuning: Stage = Stage(tokens=2_000_000, epochs=10)
    evaluation_tokens: Annotated[int, Option("Of the held-out text", "Tokens scored at most", key="bench_scored")] = Field(
        default=1_000_000, ge=2
    )
    held_out: Annotated[float, Option("Of a target's texts, for the evaluation", "Share held out")] = Field(
        default=0.1, gt=0, lt=1
    )
    protocol: Annotated[Protocol, PROTOCOL] = "correct"
    precision: Precision = "auto"
    compile: bool = False
    """`torch.compile`: faster on GPUs after a minute or so of compiling; rounds differently."""
    seed: int = Field(default=0, ge=0, lt=2**31)
    """Of weights, order and dropout. What is held out of a target does not depend on it."""
    text: Annotated[Text, Option("Of a source and of a target's tuning text", "Texts taken in", TEXTS)] = added("file order")
    fresh_deviation: Annotated[
        float,
        Option("Standard deviation of the embeddings that tuning begins with", "Deviation of fresh embeddings", step=0.001),
    ] = added(0.02, gt=0)
    """Where the protocol is not that of the published code."""

    def pretraining_provenance(self) -> dict[str, Any]:
        """Return what the weights after pre-training depend on, besides the source: options that agree in it can share them."""
        return self.model_dump(mode="json", include=set(BEFORE_TUNING))


Preset = Literal["paper", "quick"]


def scaled_deviation(dims: int) -> float:
    """Return the deviation of fresh embeddings of so many dimensions that are as long as those of GPT-2, 0.02 for its 768.

    Shorter ones would drown in a narrow model beside the embeddings of positions, which tuning keeps.
    """
    return 0.02 * math.sqrt(768 / dims)


def preset(name: Preset, *, protocol: Protocol = "correct", seed: int = 0) -> LanguageModelOptions:
    """Return the options of a preset.

    `paper` is Boldt & Mortensen's. With the published code's protocols nothing decays: the paper names AdamW's 0.01, but that
    code leaves it to the Trainer, whose default is none; and text is taken and cut as that code does it. `quick` orders sources
    as the paper does in some three minutes each on a CPU: what was measured is in `benchmarks/README.md`.
    """
    released = is_released(protocol)
    decay = 0.0 if released else 0.01
    text: Text = protocol if protocol in ("released", "released-2024-12") else "random order"
    match name:
        case "paper":
            return LanguageModelOptions(
                pretraining=Stage(tokens=15_000_000, epochs=5, weight_decay=decay),
                tuning=Stage(tokens=2_000_000, epochs=10, weight_decay=decay),
                protocol=protocol,
                seed=seed,
                text=text,
            )
        case "quick":
            shape = Architecture(layers=3, heads=4, dims=96, context=64, vocabulary=512, dropout=0.0)
            return LanguageModelOptions(
                architecture=shape,
                pretraining=Stage(tokens=2_400_000, epochs=1, batch=8, learning_rate=1e-3, weight_decay=decay),
                tuning=Stage(tokens=100_000, epochs=4, batch=8, learning_rate=1e-3, weight_decay=decay),
                evaluation_tokens=20_000,
                protocol=protocol,
                seed=seed,
                text=text,
                fresh_deviation=0.02 if released else scaled_deviation(shape.dims),  # without effect where `released`
            )
