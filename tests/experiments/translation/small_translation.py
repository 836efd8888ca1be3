"""Tiny sources, pairs and options of the machine-translation check, on the corpora of `small_xferbench`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from isogloss.backend.experiments.translation.shard import compute
from isogloss.backend.experiments.translation.spec import ParallelText, TranslationSpec
from isogloss.backend.training.resumable.options import Stage
from isogloss.backend.training.translation.options import TranslationArchitecture, TranslationOptions, TuningStage
from tests.experiments.xferbench.small_xferbench import SmallXferBench, small_xferbench

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.experiments.spec import Context

SHAPE: dict[str, Any] = {"encoder_layers": 1, "decoder_layers": 1, "heads": 2, "dims": 16, "feed_forward": 32}


def options(**changes: Any) -> TranslationOptions:
    values: dict[str, Any] = {
        "architecture": TranslationArchitecture(**SHAPE, context=24, vocabulary=304),
        "pretraining": Stage(tokens=480, epochs=2, batch=5, learning_rate=1e-2),
        "tuning": TuningStage(tokens=4000, pairs=40, epochs=6, batch=8, learning_rate=3e-2),
        "beams": (1, 2),
        "translation_tokens": 20,
        "held_out": 0.2,
        "test_pairs": 6,
    }
    return TranslationOptions(**values | changes)


@dataclass(frozen=True)
class SmallTranslation:
    """Translates Danish into Finnish; English is a source."""

    of: SmallXferBench

    def context(self, name: str = "workspace", **more: Any) -> Context:
        return self.of.context(name, **more)

    def text(self) -> ParallelText:
        return ParallelText(corpus=self.of.text, source_language="da", target_language="fi", name="News")

    def spec(self, sources: str = "emergent", settings: str = "full", **changes: Any) -> TranslationSpec:
        """Of sources and settings separated by spaces."""
        fields: dict[str, Any] = {
            "sources": tuple(self.of.source(kind) for kind in sources.split()),
            "text": self.text(),
            "settings": tuple(settings.split()),
            "preset": "custom",
            "custom": options(),
        }
        return TranslationSpec(**fields | changes)


def small_translation(folder: Path) -> SmallTranslation:
    return SmallTranslation(small_xferbench(folder))


def run_all(spec: TranslationSpec, context: Context) -> None:
    for shard in spec.shards():
        compute(spec, shard, context)


def only_cell(spec: TranslationSpec) -> str:
    """The key of its one cell."""
    (key,) = spec.cells()
    return key
