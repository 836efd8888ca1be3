"""A workspace with invented probes of the demo's models on tagged text and a labelled task: no model runs."""

from __future__ import annotations

import random
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np

from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.experiments import checkpoint_scores
from isogloss.backend.experiments.probing import predictions, rows
from isogloss.backend.experiments.probing.examples import Examples
from isogloss.backend.experiments.probing.predictions import Predictions
from isogloss.backend.experiments.probing.spec import (
    LEARNED,
    MEAN,
    ProbingSentencesSpec,
    ProbingShard,
    ProbingSpec,
    ProbingWordsSpec,
    of_tasks,
)
from isogloss.backend.experiments.probing.texts import tested
from isogloss.backend.experiments.spec import Context
from isogloss.backend.files import digest
from isogloss.backend.models.library import library as models
from isogloss.backend.settings import Settings
from tests.experiments.probing.small_probing import AMBIGUOUS, LEXICON, SIZES, TAGS, keep_tagged, keep_task, sentences

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from isogloss.backend.models.entry import Model
    from isogloss.backend.training.probe.probes import Place

MORE = {
    "ar": {"NOUN": "العبّارة الميناء العاصفة الساعة", "VERB": "تغادر يرى أخبر", "DET": "هذا كلّ أيّ", "PUNCT": ". !"},
    "fi": {"NOUN": "lautta satama myrsky kello lapsi", "VERB": "lähtee näkee kertoi", "DET": "tämä jokin", "PUNCT": ". !"},
}
LANGUAGES = ("ar", "de", "en", "fi", "zh")
SEEDS = (0, 1)


@dataclass(frozen=True)
class Kept:
    """Ids of what the workspace keeps, and the models probed."""

    tagged: str
    other: str
    task: str
    models: tuple[Model, ...]


def fill(workspace: Path, demo: Path) -> Kept:
    """Keep the data, and publish probes: monolingual of both models, cross-lingual of the first, and of the labelled task."""
    draw = random.Random(3)
    two_tags = {tag: words["VERB"].split()[0] for tag, words in MORE.items()}
    with patch.dict(LEXICON, MORE), patch.dict(AMBIGUOUS, two_tags):
        found = [row for tag in LANGUAGES for part, count in SIZES.items() for row in sentences(tag, count, draw, part)]
        others = [row for tag in ("ar", "de", "zh") for row in sentences(tag, 25, draw, "test", extra=True)]
    tagged = keep_tagged(found, "Treebanks", workspace)
    other = keep_tagged(others, "Parallel treebanks", workspace)
    task = keep_task(workspace)
    first, second = models.entries([demo])[:2]
    probe = {"seeds": SEEDS}
    common: dict[str, Any] = {"corpus": tagged, "sources": LANGUAGES, "probe": probe}
    last = {"model": first.name, "checkpoints": first.checkpoints[-1:]}
    [entry] = tasks.entries([workspace])
    two = of_tasks(entry) | {"sources": ("de", "en"), "probe": probe, "description_length": True}
    publish(workspace, ProbingSentencesSpec(**last, **two), first)
    publish(workspace, ProbingWordsSpec(**last, **common, targets=LANGUAGES), first)
    publish(workspace, ProbingWordsSpec(**last, **common | {"sources": ("de", "zh")}, tested=other), first)
    for model, checkpoints in (
        (second, second.checkpoints[-3:]),
        (first, first.checkpoints),
    ):  # the last is what the page opens on
        publish(workspace, ProbingWordsSpec(model=model.name, checkpoints=checkpoints, **common), model)
    return Kept(tagged, other, task, (first, second))


def publish(workspace: Path, spec: ProbingSpec, model: Model) -> None:
    """Write every shard of a spec that is not there for some of its targets, as the worker would name it."""
    context = Context(Settings(workspace=workspace, demo=None))
    for shard in spec.shards().values():
        provenance = spec.provenance(shard)
        found: list[dict[str, Any]] = []
        for target in provenance["targets"]:
            if target != shard.source or not spec.targets:  # the own language's are there already
                found += _of_target(workspace, spec, shard, target, model)
        targets = [target for target in provenance["targets"] if any(row["target"] == target for row in found)]
        tags = _tags(spec, workspace)
        counts = {"train": _count(1200, "train"), "validation": _count(300, "half of validation")}
        counts |= {f"test {target}": _count(160, "test", lost=2) for target in targets}
        of_file = provenance | {"targets": targets, "tags": list(tags), "counts": counts, "unfinished": 1}
        name = digest(provenance | {"targets": targets})
        place = shard.checkpoint
        checkpoint_scores.write(context, name, found, of_file, model=spec.model, label=place.label, step=place.step)


def _count(rows_: int, origin: str, lost: int = 0) -> dict[str, Any]:
    return {"rows": rows_, "sentences": rows_ // 5, "lost": lost, "of": origin}


def _of_target(workspace: Path, spec: ProbingSpec, shard: ProbingShard, target: str, model: Model) -> list[dict[str, Any]]:
    """The rows of one target, and what was told of each of its words."""
    tags = _tags(spec, workspace)
    test, training = _examples(spec, target, workspace, tags), _examples(spec, shard.source, workspace, tags)
    places: list[Place] = [*range(model.layers + 1), MEAN, LEARNED]
    random = np.random.default_rng(zlib.crc32(f"{shard.checkpoint.fingerprint} {shard.source} {target}".encode()))
    told = np.stack([_told(test.labels, _error(shard, target, at, model), len(tags), random) for at in range(len(places))])
    found = rows.of_tags(told, test, places, SEEDS, None)
    if len(test.words):
        found += rows.of_lines(training, test)
        if target == shard.source:
            control = random.integers(0, len(tags), len(test.labels))
            control_told = np.stack([_told(control, 0.6, len(tags), random) for _ in places])
            found += rows.of_controls(told, control_told, test, control, places, SEEDS)
    if spec.description_length:
        times = 1 + random.random((len(places), len(SEEDS)))
        for metric, values in (("description_length", 900 / times), ("compression", times)):
            found += rows.of_lengths(metric, values, 900, places, SEEDS)
    of_first = {str(place): told[i, 0].astype(np.int16) for i, place in enumerate(places)}
    kept = Predictions(tags, 0, test.sentences, test.places, test.labels.astype(np.int16), of_first)
    predictions.save(workspace, spec.provenance(shard), target, kept)
    return rows.filed(found, shard.source, target, spec.variant)


def _error(shard: ProbingShard, target: str, at: int, model: Model) -> float:
    """The share told wrongly: less in the middle, falling with the checkpoints, more the farther the language."""
    steps = [each.fingerprint for each in model.checkpoints]
    late = steps.index(shard.checkpoint.fingerprint) / max(1, len(steps) - 1)
    far = 0.0 if target == shard.source else 0.1 + 0.05 * abs(LANGUAGES.index(target) - LANGUAGES.index(shard.source))
    turned = 0.15 * (late - 0.6) ** 2 * LANGUAGES.index(target)
    return min(0.9, 0.45 - 0.3 * late + 0.04 * abs(at - 2) + far + turned)


def _told(labels: NDArray[np.int64], error: float, tags: int, random: np.random.Generator) -> NDArray[np.int64]:
    """What probes of each seed told: `[seeds, rows]`, so large a share of it wrong."""
    found = np.repeat(labels[None], len(SEEDS), 0)
    wrong = random.random(found.shape) < error
    return np.where(wrong, (found + random.integers(1, max(2, min(tags, 4)), found.shape)) % tags, found)


def _tags(spec: ProbingSpec, workspace: Path) -> tuple[str, ...]:
    if isinstance(spec, ProbingSentencesSpec):
        return tasks.load(spec.corpus, [workspace]).labels
    return (*TAGS, *(("INTJ",) if spec.tested else ()))


def _examples(spec: ProbingSpec, language: str, workspace: Path, tags: Sequence[str]) -> Examples:
    if isinstance(spec, ProbingSentencesSpec):
        given = tested(spec, language, [workspace])
        numbers = np.arange(len(given.labels), dtype=np.int32)
        return _made(given.labels.astype(np.int64), numbers, np.zeros_like(numbers), [])
    assert isinstance(spec, ProbingWordsSpec)
    found = tested(spec, language, [workspace])
    sizes = [len(each.tags) for each in found]
    number = {tag: i for i, tag in enumerate(tags)}
    labels = np.array([number[tag] for each in found for tag in each.tags], np.int64)
    words = [word for each in found for word in each.words]
    places = np.concatenate([np.arange(size, dtype=np.int32) for size in sizes])
    return _made(labels, np.repeat(np.arange(len(found), dtype=np.int32), sizes), places, words)


def _made(labels: Any, numbers: Any, places: Any, words: Sequence[str]) -> Examples:
    features: Any = None  # nothing here reads any
    return Examples(features, labels, numbers, places, words, 0, frozenset({"cpu"}), frozenset({"float32"}), "test")
