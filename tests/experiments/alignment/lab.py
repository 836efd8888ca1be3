"""A workspace to compute alignment and similarity in, and tests that hold for both experiments on pairs of sentences."""

from __future__ import annotations

import copy
import math
import shutil
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import pytest

from isogloss.backend.experiments import registry
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.spec import Cancelled, Context
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading import load as load_module
from isogloss.backend.settings import Settings
from isogloss.backend.store import scores
from tests.experiments.alignment import alignment_by_hand as by_hand

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from isogloss.backend.models.entry import Checkpoint

TAGS = ("ar", "de", "en", "zh")
STUDENT = {11: 2.2009852, 19: 2.0930241, 39: 2.0226909}
"""The 97.5% quantile of Student's t, by degrees of freedom (of printed tables)."""


@dataclass
class Lab:
    """A workspace with a corpus of `sentences` in the languages `TAGS`, and a tiny model of as many `positions`."""

    spec_class: type[Any]
    family: str
    """Of which experiment the scores are."""
    folder: Path
    sentences: by_hand.Sentences = field(default_factory=by_hand.sentences)
    architecture: Any = "xlm-roberta"
    positions: int = 64

    def __post_init__(self) -> None:
        self.context = Context(Settings(workspace=self.folder / "workspace", demo=None, device="cpu"))
        self.corpus = by_hand.keep_corpus(self.sentences, self.context.workspace)
        texts = [text for texts in self.sentences.values() for text in texts.values()]
        self.model = by_hand.model_that_knows_some(self.folder / "model", self.architecture, self.positions, texts)
        self.checkpoint = self.found()

    def copied(self, folder: Path) -> Self:
        """This lab, in which nothing is computed, in a workspace of its own: reading a model is quicker than making it."""
        shutil.copytree(self.context.workspace, folder / "workspace")
        copied = copy.copy(self)
        copied.context = Context(replace(self.context.settings, workspace=folder / "workspace"))
        return copied

    @cached_property
    def plain(self) -> by_hand.Plain:
        """The model as the plain implementation reads it."""
        return by_hand.Plain(self.model, self.positions)

    def found(self) -> Checkpoint:
        """The checkpoint as it now lies in the model's folder."""
        [checkpoint] = discover(str(self.model)).checkpoints
        return checkpoint

    def spec(self, languages: tuple[str, ...] = TAGS, **options: Any) -> Any:
        return self.spec_class(model="tiny", checkpoints=(self.checkpoint,), corpus=self.corpus, languages=languages, **options)

    def compute(self, spec: Any, **context: Any) -> None:
        [shard] = spec.shards()
        registry.compute(spec, shard, replace(self.context, **context))

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
    spec = AbxSpec(model="tiny", checkpoints=(lab.checkpoint,), corpus=lab.corpus, languages=TAGS, **options)
    lab.compute(spec)

    def load(*_: Any, **_options: Any) -> Any:
        raise AssertionError("the model was loaded")

    monkeypatch.setattr(load_module, "load", load)
