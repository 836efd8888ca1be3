"""How much work a shard of probes is: texts to encode, and words that go through every probe, epoch after epoch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from isogloss.backend.corpora.tagged import library as tagged
from isogloss.backend.corpora.tagged.parts import PARTS, Part, share
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.experiments.pricing.estimate import Work, entry_of, model_of, size_of
from isogloss.backend.experiments.probing import kept_words
from isogloss.backend.experiments.probing.queries import served
from isogloss.backend.experiments.probing.spec import ProbingSentencesSpec, ProbingSpec, ProbingWordsSpec

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from isogloss.backend.experiments.family import Place


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


def words(spec: ProbingWordsSpec, shard: str, place: Place) -> Work | None:
    """Return the words of one shard to encode; where all are kept, those that probes are trained on. None as `sentences`."""
    return _work(
        spec, shard, place, _words(spec.corpus, place.workspaces), _words(spec.tested or spec.corpus, place.workspaces)
    )


def sentences(spec: ProbingSentencesSpec, shard: str, place: Place) -> Work | None:
    """Return the examples of one shard to encode, all of them; None where model or data are not kept."""
    of = _examples(spec.corpus, place.workspaces), _examples(spec.tested or spec.corpus, place.workspaces)
    return _work(spec, shard, place, *of)


def missing(spec: ProbingSpec, workspaces: Sequence[Path]) -> list[str]:
    """Return the shards of which some target is not there."""
    wanted = {(place.checkpoint.fingerprint, place.source) for place in served(spec, workspaces).missing}
    return [shard for shard, place in spec.shards().items() if (place.checkpoint.fingerprint, place.source) in wanted]


def _work(spec: ProbingSpec, shard: str, place: Place, trained: Sizes | None, tested: Sizes | None) -> Work | None:
    where = spec.shards()[shard]
    model = model_of(where.checkpoint, spec.model, place.workspaces)
    if model is None or trained is None or tested is None:
        return None
    whole, most = trained.get(where.source, "train"), spec.probe.training_words
    rows = whole.rows if most is None else min(whole.rows, most)
    parts: list[tuple[str, Part, float]] = [(where.source, "train", whole.characters * rows / max(1.0, whole.rows))]
    parts += [(where.source, "validation", trained.get(where.source, "validation").characters)]
    parts += [(tag, "test", tested.get(tag, "test").characters) for tag in spec.targets_of(where.source)]
    lacking = [
        kept_words.lacking(spec, where.checkpoint.fingerprint, language, part, place)
        if isinstance(spec, ProbingWordsSpec)
        else 1.0
        for language, part, _ in parts
    ]
    left = sum(share * characters for share, (_, _, characters) in zip(lacking, parts, strict=True))
    heads = 2 if isinstance(spec, ProbingWordsSpec) and spec.probe.control else 1
    probes = len(spec.probe.seeds) * heads * (1 + spec.description_length)
    like = (model.name, spec.corpus, str(probes), str(spec.probe.epochs), str(len(parts)))
    kept = sum(not share for share in lacking)
    if left:
        return Work(left * size_of(model), ("encoding and training", *like), kept, len(parts))
    return Work((model.layers + 3) * model.dims * rows * probes, ("training", *like), kept, len(parts))


def _words(corpus: str, workspaces: Sequence[Path]) -> Sizes | None:
    """Return the words of each language and part of a tagged corpus; None where it is not kept."""
    entry = entry_of("tagged/*", tagged.entries, corpus, workspaces)
    if entry is None:
        return None
    sizes: dict[tuple[str, Part], Size] = {}
    for language in entry.languages:
        each = language.characters / max(1, sum(language.words.values()))
        for part in PARTS:
            taken = share(tuple(language.words), part)
            count = language.words[taken.source] * (taken.end - taken.start) / 100
            sizes[language.tag, part] = Size(count, count * each)
    return Sizes(sizes, len(entry.tags))


def _examples(task: str, workspaces: Sequence[Path]) -> Sizes | None:
    """Return the examples of each language and part of a labelled task; None where it is not kept."""
    entry = entry_of("tasks/*", tasks.entries, task, workspaces)
    if entry is None:
        return None
    rows: dict[Part, int] = {"train": entry.rows - entry.validation_rows, "validation": entry.validation_rows}
    rows["test"] = entry.test_rows
    there = [part for part in PARTS if rows[part]]
    sizes: dict[tuple[str, Part], Size] = {}
    for language, characters in entry.characters.items():
        for part in PARTS:
            taken = share(there, part)
            count = rows[taken.source] * (taken.end - taken.start) / 100
            sizes[language, part] = Size(count, count * characters / max(1, entry.rows))
    return Sizes(sizes, len(entry.labels))
