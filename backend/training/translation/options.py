"""What the training of a translation model is: every choice that changes a score, and no other. Imports no torch.

The defaults are those of the machine-translation check in Boldt & Mortensen 2024 (XferBench), whose results are their tables 2
(chrF) and 4 (BLEU). Where no other source is named, numbers are from their released code
(https://github.com/brendon-boldt/xferbench: `model/config.py`, `model/mt.py`, `external/dlm_collator.py`). Where paper and code
differ the defaults are the code's: appendix A.2 prints a context of 512, of which the code uses 256, and 1e-5 for *Reduced*,
where section 4.1 and the code have 2e-5.
"""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import BaseModel, Field, field_validator, model_validator

from isogloss.backend.training.resumable.options import Heads, Precision, Stage

Setting = Literal["full", "frozen", "reduced"]
"""`full`: all weights are tuned. `frozen`: the token embeddings alone are, which are the output layer too. `reduced`: all
weights are, with a tenth of the learning rate on a fifth of the text."""

SETTINGS: dict[Setting, str] = {"full": "Full", "frozen": "Frozen", "reduced": "Reduced"}
MEANINGS: dict[Setting, str] = {
    "full": "All weights are tuned",
    "frozen": "Embeddings alone are tuned",
    "reduced": "All weights are tuned, gently and on less text",
}

SPECIAL = 4
PADDING, START, END, MASK = range(SPECIAL)
"""Special tokens, the last ids of a vocabulary, as they are counted there: `architecture.symbols + END` is the end's."""


class TranslationArchitecture(Heads):
    """The shape of a BART (Lewis et al. 2020). Encoder, decoder and output layer share one table of embeddings."""

    encoder_layers: int = Field(default=6, ge=1, le=48)
    decoder_layers: int = Field(default=6, ge=1, le=48)
    heads: int = Field(default=8, ge=1)
    dims: int = Field(default=512, ge=4)
    feed_forward: int = Field(default=2048, ge=4)
    """Units between the two layers on each token alone."""
    context: int = Field(default=256, ge=8, le=4096)
    """Tokens of a window of the source, and of a sentence at most: longer ones are cut. The released model has twice as many
    positions, of which it uses these."""
    vocabulary: int = Field(default=30_000, ge=256 + SPECIAL, le=250_000)
    """Rows of the embedding: 256 bytes and four special tokens at least."""
    dropout: float = Field(default=0.1, ge=0, lt=1)
    """Of embeddings and what is added to the residual stream, as in `transformers`' BART."""

    @property
    def symbols(self) -> int:
        """Ids for text or symbols of a source; the special tokens come after them."""
        return self.vocabulary - SPECIAL

    @property
    def parameters(self) -> int:
        """How many numbers the model has."""
        attention = 4 * (self.dims**2 + self.dims) + 2 * self.dims  # with its normalisation
        feed_forward = 2 * self.dims * self.feed_forward + self.feed_forward + 3 * self.dims
        layers = (self.encoder_layers + 2 * self.decoder_layers) * attention
        layers += (self.encoder_layers + self.decoder_layers) * feed_forward
        positions = 2 * (self.context + 2) * self.dims  # BART leaves the first two of each table unused
        return self.vocabulary * self.dims + positions + 4 * self.dims + layers

    @property
    def training_flop(self) -> int:
        """Floating-point operations to train on one token that is read and one that is written, at most.

        Counted as Chowdhery et al. 2022 (PaLM), appendix B, count them: six for each parameter that it is multiplied with, and
        its attention to a whole window. In pre-training only the hidden tokens need the output layer.
        """
        attention, feed_forward = 4 * self.dims**2, 2 * self.dims * self.feed_forward
        multiplied = self.encoder_layers * (attention + feed_forward) + self.decoder_layers * (2 * attention + feed_forward)
        seen = 2 * (self.encoder_layers + 2 * self.decoder_layers) * self.context * self.dims
        return 6 * (multiplied + self.vocabulary * self.dims + seen)


class Infilling(BaseModel, frozen=True, extra="forbid"):
    """Text infilling (Lewis et al. 2020, section 2.2): a mask replaces each of some spans; the model writes what was there."""

    mask_ratio: float = Field(default=0.3, gt=0, le=1)
    """The share of a window's tokens that is hidden, rounded up to a whole token."""
    mean_span: float = Field(default=3.0, ge=0.5, le=100)
    """Of the Poisson distribution that lengths of spans are drawn from. A span of length 0 puts a mask between two tokens, as
    Lewis et al. have it; the released code leaves such spans out."""
    predicted: Literal["hidden", "all"] = "hidden"
    """What counts for the loss: the hidden tokens, as in the released code, or the whole window, as Lewis et al. have it."""


class TuningStage(Stage):
    """Tuning on pairs of sentences.

    `tokens` counts those of the sources, each with its start and end; it is never exceeded by more than one pair, and a shorter
    text is not repeated. `batch` counts pairs.
    """

    pairs: int = Field(default=2_000_000, ge=1)
    """At most so many pairs: the first ones."""


class TranslationOptions(BaseModel, frozen=True, extra="forbid"):
    """The options of `pretrain`, `translation_text` and `tune`. Equal options and texts give equal scores on one device."""

    architecture: TranslationArchitecture = TranslationArchitecture()
    infilling: Infilling = Infilling()
    pretraining: Stage = Stage(tokens=100_000_000, epochs=5)
    tuning: TuningStage = TuningStage(tokens=50_000_000, epochs=3, learning_rate=2e-4)
    beams: tuple[int, ...] = (1, 3, 5)
    """Widths of the beam search; scores are averaged over them."""
    translation_tokens: int = Field(default=128, ge=1)
    """A translation ends after so many tokens."""
    held_out: float = Field(default=0.2, gt=0, lt=1)
    """The share of the pairs that is never tuned on."""
    test_pairs: int = Field(default=5000, ge=1)
    """At most so many of the held-out pairs are translated."""
    precision: Precision = "auto"
    compile: bool = False
    """`torch.compile`: faster on GPUs after a minute or so of compiling; rounds differently."""
    seed: int = Field(default=0, ge=0, lt=2**31)
    """Of weights, order, masks and dropout. What is held out does not depend on it."""

    @field_validator("beams")
    @classmethod
    def _beams(cls, beams: tuple[int, ...]) -> tuple[int, ...]:
        if not beams or min(beams) < 1 or max(beams) > 64 or len(set(beams)) < len(beams):
            raise ValueError("beams must be different whole numbers from 1 to 64, at least one.")
        return tuple(sorted(beams))

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.translation_tokens >= self.architecture.context:
            raise ValueError(
                f"translation_tokens ({self.translation_tokens}) must be fewer than the context ({self.architecture.context})."
            )
        return self

    def pretraining_provenance(self) -> dict[str, Any]:
        """Return what the weights after pre-training depend on, besides the source: options that agree in it can share them."""
        return self.model_dump(
            mode="json", include={"architecture", "infilling", "pretraining", "precision", "compile", "seed"}
        )


Preset = Literal["paper", "quick"]


def preset(name: Preset, setting: Setting, *, seed: int = 0) -> TranslationOptions:
    """Return the options of a preset in a setting. The settings of a preset differ in tuning alone: they share base models.

    `paper` is Boldt & Mortensen's, with float32 or bfloat16 where their code takes float16. `quick` takes about two minutes for
    a source and a setting on one thread of a CPU, where `reduced` halves pairs and learning rate, for a fifth and a tenth of so
    few would teach nothing. Its chrF orders sources in `frozen` alone, and too few of them were tried to rely on it: what was
    measured is in `benchmarks/README.md`.
    """
    reduced = setting == "reduced"
    match name:
        case "paper":
            tuning = TuningStage(
                tokens=10_000_000 if reduced else 50_000_000, epochs=3, learning_rate=2e-5 if reduced else 2e-4
            )
            return TranslationOptions(tuning=tuning, seed=seed)
        case "quick":
            return TranslationOptions(
                architecture=TranslationArchitecture(
                    encoder_layers=2,
                    decoder_layers=2,
                    heads=4,
                    dims=96,
                    feed_forward=384,
                    context=128,
                    vocabulary=512,
                    dropout=0.0,
                ),
                pretraining=Stage(tokens=500_000, epochs=1, batch=4, learning_rate=1e-3),
                tuning=TuningStage(
                    pairs=900 if reduced else 1_800,
                    tokens=200_000,
                    epochs=8,
                    batch=8,
                    learning_rate=1e-3 if reduced else 2e-3,
                ),
                translation_tokens=100,
                held_out=0.1,
                test_pairs=150,
                seed=seed,
            )
