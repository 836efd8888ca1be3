"""Word alignment of static vectors: the baseline that a model's contextual ones are held against. One shard is one set.

The same pairs of words, drawn alike and scored alike as in `word_alignment`, under the same `variant`: in a figure they are a
horizontal line (no layer, no step). A word that has no vector is left out with its pair, as a model's lost ones are.

Source: Gaschi et al. 2022, "Multilingual Transformer Encoders: a Word-Level Task-Agnostic Evaluation", tables III and IV.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from isogloss.backend.corpora.dictionaries import word_pairs
from isogloss.backend.corpora.languages.words import fold
from isogloss.backend.errors import SpecError
from isogloss.backend.experiments import checkpoint_scores
from isogloss.backend.experiments.alignment.words import rows as word_scores
from isogloss.backend.experiments.alignment.words.shard import pairs_of
from isogloss.backend.experiments.alignment.words.spec import WordPairsSpec
from isogloss.backend.experiments.spec import Context
from isogloss.backend.files import ContentId, digest
from isogloss.backend.models.static import library as static_library
from isogloss.backend.models.static import vectors as static_vectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from isogloss.backend.corpora.dictionaries.word_pairs import WordPairs
    from isogloss.backend.models.static.library import StaticSet
    from isogloss.backend.settings import Settings

READING_SHARE = 0.7
"""How much of the shard's time reading takes: a file of 2 GB is 4 seconds, the scores of a run a tenth of one."""


@dataclass(frozen=True)
class Baseline:
    """What a run calls its only shard."""

    label: str


class StaticAlignmentSpec(WordPairsSpec):
    """Weak and strong word retrieval of a set of static vectors (Gaschi et al. 2022, section 3).

    `model` is the set's name. With `repeated`, a word has the same vector at every occurrence. The `variant` is as of
    `WordAlignmentSpec`: equal ones may lie in one figure.
    """

    experiment: Literal["static_alignment"] = "static_alignment"
    vectors: ContentId
    """The set's fingerprint."""

    def provenance(self) -> dict[str, Any]:
        """Return what the scores depend on, and nothing else."""
        return self.provenance_of(self.vectors)

    def shards(self) -> dict[str, Baseline]:
        """Return the one shard by its key."""
        return {digest(self.provenance()): Baseline(self.model)}


def compute(spec: StaticAlignmentSpec, shard: str, context: Context) -> None:
    """Compute and publish the scores of the pairs that no file has yet.

    Raises `SpecError` for a language that the set lacks, what `static_library` and `static_vectors` raise, and `CorpusError`
    where a dictionary gives no pairs.
    """
    assert shard in spec.shards()
    missing, _ = checkpoint_scores.missing(spec.pairs, spec.provenance(), context.workspaces)
    if not missing:
        return
    started = time.perf_counter()
    spec = spec.model_copy(update={"pairs": missing})
    kept = static_library.load_entry(spec.vectors, context.workspaces)
    check_languages(kept, (tag for pair in missing for tag in (pair.source, pair.target)))
    pairs_by_shard = [pairs_of(spec.corpus, pair, spec.repeated, tuple(context.workspaces), spec.unique) for pair in missing]
    sides = {tag: known_words(kept, tag, wanted, context) for tag, wanted in _wanted(pairs_by_shard).items()}
    rows: list[dict[str, Any]] = []
    counts: dict[str, dict[str, int]] = {}
    for i, pairs in enumerate(pairs_by_shard):
        ends = (pairs.source, pairs.target)
        context.step(f"scoring {'-'.join(ends)}", READING_SHARE + (1 - READING_SHARE) * i / len(pairs_by_shard))
        sample = word_pairs.sample(pairs, spec.n_pairs, seed=spec.seed, runs=spec.runs)
        source, target = (sides[tag].rows(words) for tag, words in _folded(pairs).items())
        there = sides[ends[0]].vectors.found[source] & sides[ends[1]].vectors.found[target]
        drawn = np.unique(np.concatenate(sample.runs))
        counts["-".join(ends)] = word_scores.counted(pairs, sample, there[drawn])
        vectors = partial(_of_pairs, (sides[ends[0]], sides[ends[1]]), (source, target), context.settings)
        rows += word_scores.rows_of(spec, ends, None, word_scores.usable(sample, there), vectors, context.should_stop)
    _publish(spec, rows, sides, counts, time.perf_counter() - started, context)


def check_languages(kept: StaticSet, tags: Iterable[str]) -> None:
    """Raise `SpecError` naming the languages that the set lacks."""
    lacking = sorted({tag for tag in tags if kept.language(tag) is None})
    if lacking:
        raise SpecError(
            f"The vectors '{kept.name}' have no file for {', '.join(lacking)}, only for {', '.join(kept.languages)}. "
            "Leave these languages out, or add the vectors again with their files."
        )


@dataclass(frozen=True, eq=False)
class KnownWords:
    """The vectors of one language's words."""

    number: Mapping[str, int]
    """Folded word → row."""
    vectors: static_vectors.StaticVectors

    @property
    def counted(self) -> dict[str, Any]:
        """How many different words were looked up, how many of them have no vector, and what the file's reader found odd."""
        return {"words": len(self.number), "without": int((~self.vectors.found).sum()), "note": self.vectors.report.note}

    def rows(self, words: Iterable[str]) -> NDArray[np.int64]:
        """Return the row of each word, which were all looked up."""
        return np.fromiter((self.number[word] for word in words), np.int64)


def _folded(pairs: WordPairs) -> dict[str, list[str]]:
    """Return the words of both sides in the order of the pairs, as they are looked up: source first."""
    ends = {pairs.source: "source_word", pairs.target: "target_word"}
    return {tag: [fold(word, tag) for word in pairs.table[column].to_pylist()] for tag, column in ends.items()}


def _wanted(found: Iterable[WordPairs]) -> dict[str, list[str]]:
    """Return every language's different words over all pairs of languages, so that each file is read once."""
    wanted: dict[str, dict[str, None]] = {}
    for pairs in found:
        for tag, words in _folded(pairs).items():
            wanted.setdefault(tag, {}).update(dict.fromkeys(words))
    return {tag: list(wanted[tag]) for tag in sorted(wanted)}


def known_words(kept: StaticSet, tag: str, wanted: Sequence[str], context: Context) -> KnownWords:
    """Read the vectors of the folded words `wanted`, all different. Raises what reading raises."""
    own = kept.language(tag)
    assert own is not None
    path = static_library.checked_file(kept, own, context.workspace)

    def report(share: float) -> None:
        context.step(f"reading {path.name}", READING_SHARE * share)

    vectors = static_vectors.read(path, wanted, key=partial(fold, language=tag), progress=report)
    return KnownWords({word: row for row, word in enumerate(wanted)}, vectors)


def _of_pairs(
    sides: tuple[KnownWords, KnownWords],
    rows: tuple[NDArray[np.int64], NDArray[np.int64]],
    settings: Settings,
    chosen: NDArray[np.int64],
) -> tuple[Tensor, Tensor]:
    """Return both sides of some pairs, as `tensors` does."""
    return tensors([np.asarray(side.vectors.vectors[each[chosen]]) for side, each in zip(sides, rows, strict=True)], settings)


def tensors(sides: Sequence[NDArray[np.float32]], settings: Settings) -> tuple[Tensor, Tensor]:
    """Return both sides as float32 `[n, dims]`, on the GPU where there is one."""
    import torch

    from isogloss.backend.models.device import choose_device

    device = choose_device(settings.device)
    u, v = (torch.from_numpy(side).to(device) for side in sides)
    return u, v


def _publish(
    spec: StaticAlignmentSpec,
    rows: Sequence[dict[str, Any]],
    sides: Mapping[str, KnownWords],
    counts: Mapping[str, Any],
    seconds: float,
    context: Context,
) -> None:
    [(shard, baseline)] = spec.shards().items()  # named after the pairs in it
    provenance = spec.provenance() | {
        "static": True,
        "counts": dict(counts),
        "words": {tag: side.counted for tag, side in sides.items()},
        "seconds": round(seconds, 3),
    }
    checkpoint_scores.write(context, shard, rows, provenance, model=spec.model, label=baseline.label)
