"""Which sentences of a corpus are trained on, which are held out, and batches of the former."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from isogloss.backend.errors import CorpusError, did_you_mean
from isogloss.backend.files import digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.training.encoder.options import PretrainOptions


@dataclass(frozen=True)
class Split:
    """The rows to train on and the sentences kept apart."""

    sentence_ids: tuple[str, ...]
    """One a row; rows with equal ids are translations of each other."""
    texts: tuple[str, ...]
    languages: tuple[str, ...]
    """The languages trained on, sorted (not one a row)."""
    held_out: tuple[str, ...]
    """Ids that no row has. Nor does any row have the text of one of them, where a corpus repeats itself."""

    def digest(self) -> str:
        """Equal for equal training rows in equal order."""
        return digest([self.sentence_ids, self.texts, self.held_out])


def split(corpus: ParallelCorpus, options: PretrainOptions) -> Split:
    """Hold `options.held_out` sentences out, chosen among those that exist in every language where there are enough.

    Raises `CorpusError` for an unknown language and where too few sentences remain.
    """
    known = corpus.languages
    languages = sorted(set(options.languages)) or known
    for language in languages:
        if language not in known:
            raise CorpusError(f"The corpus has no language '{language}'.", remedy=did_you_mean(language, known))
    columns = (corpus.table[name].to_pylist() for name in ("sentence_id", "language", "text"))
    rows = [row for row in zip(*columns, strict=True) if row[1] in languages]
    held_out = _held_out([(i, language) for i, language, _ in rows], len(languages), options)
    apart = set(held_out)
    seen = {text for i, _, text in rows if i in apart}
    kept = [(i, text) for i, _, text in rows if i not in apart and text not in seen]
    if len({i for i, _ in kept}) < 2:
        raise CorpusError(
            f"Holding out {options.held_out} sentences leaves fewer than two to train on.",
            remedy="Hold out fewer, or choose a larger corpus.",
        )
    return Split(tuple(i for i, _ in kept), tuple(text for _, text in kept), tuple(languages), held_out)


def _held_out(rows: Sequence[tuple[str, str]], languages: int, options: PretrainOptions) -> tuple[str, ...]:
    counts: dict[str, int] = {}
    for i, _ in rows:
        counts[i] = counts.get(i, 0) + 1
    complete = [i for i, count in counts.items() if count == languages]
    candidates = complete if len(complete) >= options.held_out else list(counts)
    if options.held_out_from == "last" or not options.held_out:
        return tuple(candidates[len(candidates) - min(options.held_out, len(candidates)) :])
    drawn = np.random.default_rng(options.seed).permutation(len(candidates))[: options.held_out]
    return tuple(candidates[k] for k in sorted(drawn))


@dataclass(frozen=True)
class Tokens:
    """The training rows as token ids, special tokens included."""

    rows: tuple[tuple[int, ...], ...]
    translations: tuple[tuple[int, ...], ...]
    """For each sentence that exists in two languages or more, its rows."""
    padding: int

    @staticmethod
    def of(sentence_ids: Sequence[str], rows: Sequence[Sequence[int]], padding: int) -> Tokens:
        """Group `rows` of token ids by their sentences."""
        groups: dict[str, list[int]] = {}
        for row, i in enumerate(sentence_ids):
            groups.setdefault(i, []).append(row)
        translations = tuple(tuple(group) for group in groups.values() if len(group) > 1)
        return Tokens(tuple(tuple(row) for row in rows), translations, padding)

    def pad(self, rows: Sequence[int]) -> torch.Tensor:
        """Return the ids of some rows, `[rows, longest]`, int64, padded on the right."""
        longest = max(len(self.rows[row]) for row in rows)
        ids = np.full((len(rows), longest), self.padding, dtype=np.int64)
        for place, row in enumerate(rows):
            ids[place, : len(self.rows[row])] = self.rows[row]
        return torch.from_numpy(ids)

    def draw(self, batch: int, random: np.random.Generator) -> list[int]:
        """Rows drawn without repetition, all of them if `batch` exceeds their number."""
        return [int(row) for row in random.permutation(len(self.rows))[:batch]]

    def draw_pairs(self, batch: int, random: np.random.Generator) -> tuple[list[int], list[int]]:
        """Rows and, in the same order, a translation of each, every pair of another sentence and of two languages by chance."""
        chosen = random.permutation(len(self.translations))[:batch]
        pairs = [random.choice(self.translations[k], size=2, replace=False) for k in chosen]
        return [int(one) for one, _ in pairs], [int(other) for _, other in pairs]
