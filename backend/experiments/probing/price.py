"""What probes will cost before they start: texts to encode, and words that go through every probe, epoch after epoch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

from backend.corpora.tagged import library as tagged
from backend.corpora.tagged.parts import PARTS, Part, share
from backend.corpora.tasks import library as tasks
from backend.experiments.estimate import (
    CHARACTERS_A_TOKEN,
    LOADING_BYTES,
    LOADING_SECONDS,
    RECENT,
    STARTING_SECONDS,
    Estimate,
    earlier_scores,
    is_of_model,
    model_of,
    read_cached,
    token_seconds,
)
from backend.experiments.probing.features import KEPT_SHARE
from backend.experiments.probing.kept_words import KeptWords
from backend.experiments.probing.queries import served
from backend.experiments.probing.spec import FAMILY, ProbingSentencesSpec, ProbingSpec, ProbingWordsSpec
from backend.settings import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from backend.experiments.speed import Speed
    from backend.models.entry import Model
    from backend.store.scores import ShardFile

EPOCHS = 12.0
"""Passes over the training words before the last probe stops, and over the validation words beside them."""
PASSES = 3.0
"""A forward and a backward product, and the optimiser's steps, cost as much as three forward products."""
OVERHEAD = 2.5
"""Training against bare products: reading, standardising, softmax."""
ENCODED = 1.3
"""Words pooled and stored beside their sentences."""
CODED = 2.0
"""The description length trains on blocks of 0.1% to 50% of the words: as much again as all of them once."""


@dataclass(frozen=True)
class Size:
    """How much there is of one part of a language."""

    rows: float
    """Words, or labelled examples."""
    characters: float


@dataclass(frozen=True)
class Sizes:
    """How much there is of kept data."""

    of: dict[tuple[str, Part], Size]
    """(language, part) → how much."""
    tags: int

    def get(self, language: str, part: Part) -> Size:
        """Return how much there is of a part; none of what is not there."""
        return self.of.get((language, part), Size(0, 0))


def words(spec: ProbingWordsSpec, speed: Speed | None, workspaces: Sequence[Path]) -> Estimate | None:
    """Seconds for the missing shards of `spec`; None where no worker has measured its speed, or model or data are not kept."""
    return _priced(spec, speed, workspaces, lambda id_: _words(id_, workspaces), 1)


def sentences(spec: ProbingSentencesSpec, speed: Speed | None, workspaces: Sequence[Path]) -> Estimate | None:
    """Seconds for the missing shards of `spec`; None as `words`."""
    return _priced(spec, speed, workspaces, lambda id_: _examples(id_, workspaces), 4 if spec.features == "both" else 1)


def _priced(
    spec: ProbingSpec,
    speed: Speed | None,
    workspaces: Sequence[Path],
    sizes_of: Callable[[str], Sizes | None],
    width: int,
) -> Estimate | None:
    """Seconds for the missing shards; features are `width` times as wide as the model's vectors."""
    model, trained = model_of(spec.checkpoints[0], spec.model, workspaces), sizes_of(spec.corpus)
    tested = sizes_of(spec.tested) if spec.tested else trained
    if speed is None or model is None or trained is None or tested is None:
        return None
    pace = _Pace.of(model, speed, earlier_scores(workspaces, FAMILY))
    loading = LOADING_SECONDS + 4.0 * (model.parameters or 0) / LOADING_BYTES
    seconds, shards = 0.0, served(spec, workspaces).missing
    encoded: set[tuple[str, str]] = set()
    kept = KeptWords(spec, workspaces, speed.precision) if isinstance(spec, ProbingWordsSpec) else None
    for shard in shards:
        taken, fingerprint = _taken(spec, trained, shard.source), shard.checkpoint.fingerprint
        lacking = partial(_lacking, kept, fingerprint)
        characters = taken[0].characters * lacking(shard.source, "train")
        characters += taken[1].characters * lacking(shard.source, "validation")
        for target in spec.targets_of(shard.source):
            place = fingerprint, target
            found = tested.get(target, "test")
            if place not in encoded:  # every other source of the checkpoint finds them kept
                characters += found.characters * lacking(target, "test")
            if _kept(found, model, spec):
                encoded.add(place)
        seconds += pace.training(taken, spec, width * model.dims, trained.tags)
        seconds += pace.encoding(characters) + (loading if characters else LOADING_SECONDS)
    said = kept.said if kept else ""
    return Estimate(STARTING_SECONDS + seconds, len(shards), pace.basis, kept=said) if shards else Estimate(0.0, 0, pace.basis)


def _lacking(kept: KeptWords | None, fingerprint: str, language: str, part: Part) -> float:
    """Return the share of a part that must be encoded; of labelled examples all is counted."""
    return 1.0 if kept is None else kept.lacking(fingerprint, language, part)


def _taken(spec: ProbingSpec, sizes: Sizes, source: str) -> tuple[Size, Size]:
    """Return what is trained on and what training stops by."""
    whole, validation = sizes.get(source, "train"), sizes.get(source, "validation")
    most = spec.probe.training_words
    rows = whole.rows if most is None else min(whole.rows, most)
    return Size(rows, whole.characters * rows / max(1.0, whole.rows)), validation


def _kept(size: Size, model: Model, spec: ProbingSpec) -> bool:
    languages = len({*spec.sources, *spec.targets})
    return size.rows * (model.layers + 1) * model.dims * 2 * languages <= KEPT_SHARE * settings().embeddings_gib * 2**30


@dataclass(frozen=True)
class _Pace:
    """How fast a model's texts are encoded here, and probes trained: as earlier shards were, else by a bare measurement."""

    model: Model
    speed: Speed
    token: float
    """Seconds of a token."""
    slower: float
    """How much longer training took than its products alone."""
    basis: str

    @classmethod
    def of(cls, model: Model, speed: Speed, earlier: Sequence[ShardFile]) -> _Pace:
        """Look for shards of this model on such a device."""
        tokens, slower = [], []
        for provenance in (file.provenance for file in earlier):
            if not is_of_model(provenance, model) or not speed.computed(provenance):
                continue
            if provenance.get("tokens"):
                tokens.append(float(provenance["seconds_encoding"]) / int(provenance["tokens"]))
            if products := float(provenance.get("products", 0)) / speed.scoring_flops:
                slower.append(float(provenance["seconds_training"]) / products)
        seen = bool(tokens and slower)
        return cls(
            model,
            speed,
            median(tokens[-RECENT:]) if tokens else ENCODED * token_seconds(model, speed),
            median(slower[-RECENT:]) if slower else OVERHEAD,
            "from this model's last computations" if seen else speed.basis,
        )

    def encoding(self, characters: float) -> float:
        """Seconds to encode so many characters."""
        return characters / CHARACTERS_A_TOKEN * self.token

    def training(self, taken: tuple[Size, Size], spec: ProbingSpec, dims: int, tags: int) -> float:
        """Seconds to train every probe on features of `dims` dimensions."""
        heads = 2 if isinstance(spec, ProbingWordsSpec) and spec.probe.control else 1
        probes = (self.model.layers + 3) * len(spec.probe.seeds) * heads
        operations = products(taken[0].rows, taken[1].rows, min(EPOCHS, spec.probe.epochs) * probes, dims, tags)
        return operations * (1 + CODED * spec.description_length) / self.speed.scoring_flops * self.slower


def products(rows: float, validated: float, epochs: float, dims: int, tags: int) -> float:
    """Operations of the matrix products of a training; `epochs` are those of all probes together."""
    return 2.0 * (PASSES * rows + validated) * epochs * dims * tags


def _words(corpus: str, workspaces: Sequence[Path]) -> Sizes | None:
    """Return the words of each language and part of a tagged corpus; None where it is not kept."""
    entry = next((each for each in read_cached("tagged/*", workspaces, tagged.entries) if each.id == corpus), None)
    if entry is None:
        return None
    found: dict[tuple[str, Part], Size] = {}
    for language in entry.languages:
        each = language.characters / max(1, sum(language.words.values()))
        for part in PARTS:
            taken = share(tuple(language.words), part)
            count = language.words[taken.source] * (taken.end - taken.start) / 100
            found[language.tag, part] = Size(count, count * each)
    return Sizes(found, len(entry.tags))


def _examples(task: str, workspaces: Sequence[Path]) -> Sizes | None:
    """Return the examples of each language and part of a labelled task; None where it is not kept."""
    entry = next((each for each in read_cached("tasks/*", workspaces, tasks.entries) if each.id == task), None)
    if entry is None:
        return None
    rows: dict[Part, int] = {"train": entry.rows - entry.validation_rows, "validation": entry.validation_rows}
    rows["test"] = entry.test_rows
    there = [part for part in PARTS if rows[part]]
    found: dict[tuple[str, Part], Size] = {}
    for language, characters in entry.characters.items():
        for part in PARTS:
            taken = share(there, part)
            count = rows[taken.source] * (taken.end - taken.start) / 100
            found[language, part] = Size(count, count * characters / max(1, entry.rows))
    return Sizes(found, len(entry.labels))
