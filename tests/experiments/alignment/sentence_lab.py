"""What the two experiments on pairs of sentences share: a workspace to compute in, and tests that hold for both."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest

from backend.experiments.abx import shard as abx
from backend.experiments.spec import Cancelled, Context
from backend.models.library.discover import discover
from backend.models.loading import load as load_module
from backend.settings import Settings
from backend.store import scores
from tests.experiments.alignment import alignment_by_hand as by_hand

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from backend.models.entry import Checkpoint

TAGS = ("ar", "de", "en", "zh")
STUDENT = {11: 2.2009852, 19: 2.0930241, 39: 2.0226909}
"""The 97.5% quantile of Student's t, by degrees of freedom (of printed tables)."""


@dataclass
class Lab:
    """A workspace with a corpus of `sentences` in the languages `TAGS`, and a tiny model of as many `positions`."""

    spec_class: type[Any]
    compute_shard: Callable[..., None]
    family: str
    """Of which experiment the scores are."""
    folder: Path
    sentences: by_hand.Sentences = field(default_factory=by_hand.sentences)
    positions: int = 64

    def __post_init__(self) -> None:
        self.context = Context(Settings(workspace=self.folder / "workspace", demo=None, device="cpu"))
        self.corpus = by_hand.keep_corpus(self.sentences, self.context.workspace)
        texts = [text for texts in self.sentences.values() for text in texts.values()]
        self.model = by_hand.model_that_knows_some(self.folder / "model", "xlm-roberta", self.positions, texts)
        self.checkpoint = self.found()

    def found(self) -> Checkpoint:
        """The checkpoint as it now lies in the model's folder."""
        [checkpoint] = discover(str(self.model)).checkpoints
        return checkpoint

    def spec(self, languages: tuple[str, ...] = TAGS, **options: Any) -> Any:
        return self.spec_class(model="tiny", checkpoints=(self.checkpoint,), corpus=self.corpus, languages=languages, **options)

    def compute(self, spec: Any, **context: Any) -> None:
        [shard] = spec.shards()
        self.compute_shard(spec, shard, replace(self.context, **context))

    def files(self) -> list[scores.ShardFile]:
        return scores.shards([self.context.workspace], self.family)

    def rows(self) -> dict[tuple[Any, ...], Any]:
        """The rows of all files, by metric, variant, layer, run, source and target."""
        return {key: row for file in self.files() for key, row in by_hand.rows_of(file.path).items()}


def mean_with_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """The mean, and where it lies at 95% by Student's t."""
    mean = sum(values) / len(values)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
    half = STUDENT[len(values) - 1] * deviation / math.sqrt(len(values))
    return mean, mean - half, mean + half


def assert_a_new_language_computes_just_its_pairs(lab: Lab, passes: list[str]) -> None:
    """A file of three languages serves two of them; a fourth makes a second file, of what was not there."""
    lab.compute(lab.spec(("de", "en", "zh")))
    lab.compute(lab.spec(("de", "zh")))
    assert len(lab.files()) == 1
    before = {key: row["value"] for key, row in lab.rows().items()}
    lab.compute(lab.spec())
    first, second = lab.files()
    assert first.provenance["pairs"] == [["de", "en"], ["de", "zh"], ["en", "zh"]]
    assert second.provenance["pairs"] == [["ar", "de"], ["ar", "en"], ["ar", "zh"]]
    assert sorted(passes) == ["ar", "de", "en", "zh"]
    after = {key: row["value"] for key, row in lab.rows().items()}
    assert {key: after[key] for key in before} == before


def assert_stopped_nothing_is_published(lab: Lab, word: str) -> None:
    """Stopped at the second thing told that begins with `word`; afterwards it computes as ever."""
    told: list[str] = []

    def stop() -> bool:
        return sum(line.startswith(word) for line in told) > 1

    with pytest.raises(Cancelled):
        lab.compute(lab.spec(), should_stop=stop, progress=lambda what, share: told.append(what))
    assert not lab.files()
    lab.compute(lab.spec())
    assert len(lab.files()) == 1


def embed_by_abx(lab: Lab, monkeypatch: pytest.MonkeyPatch, **options: Any) -> None:
    """Compute ABX of the same corpus, which keeps its vectors; from then on no model can be loaded."""
    spec = abx.AbxSpec(model="tiny", checkpoints=(lab.checkpoint,), corpus=lab.corpus, languages=TAGS, **options)
    abx.compute(spec, next(iter(spec.shards())), lab.context)

    def load(*given: Any) -> Any:
        raise AssertionError("the model was loaded")

    monkeypatch.setattr(load_module, "load", load)
