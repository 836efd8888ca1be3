"""Every measure of geometry of one layer, in one pass with exact ABX."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from isogloss.backend.metrics.abx.exact import Discrimination, check_shape, chosen_pairs, discrimination
from isogloss.backend.metrics.blocks import Stopped, workers
from isogloss.backend.metrics.cosines import gram, unit_vectors
from isogloss.backend.metrics.geometry import neighbours, similarity
from isogloss.backend.metrics.geometry.language_probe import language_accuracy
from isogloss.backend.metrics.geometry.measured import Measured, nothing
from isogloss.backend.metrics.geometry.neurons import neuron_correlation
from isogloss.backend.metrics.geometry.spectrum import anisotropy, gathered, spectrum

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from isogloss.backend.metrics.abx.exact import Pairs
    from isogloss.backend.metrics.blocks import ShouldStop

GRAMS = 1 << 30
"""Bytes of Gram matrices in hand at most; of more languages, blocks are compared with blocks."""


@dataclass(frozen=True)
class Geometry:
    """A layer's measures by their metric."""

    of_pairs: dict[str, Measured]
    """In the order of `chosen_pairs`. Shares that have no error of their own (`mexa`) have nan for it."""
    of_languages: dict[str, Measured]
    abx: Discrimination
    away: dict[str, Tensor]
    """Where asked, by metric: how far each language's value without a sentence lies from their mean, float32 `[languages, n]`
    on the CPU, of measures of pairs the mean over its pairs; nan where no pair of it has that."""


def geometry(
    vectors: Tensor, *, pairs: Pairs = None, k: int = 10, per_sentence: bool = False, should_stop: ShouldStop = None
) -> Geometry:
    """Measure one layer: `vectors` `[languages, n, dims]` at their true length, on the CPU or a CUDA device.

    `k` is of neighbours; `per_sentence` gives `away`. Raises as `discrimination` does, and `Stopped`.
    """
    check_shape(vectors)
    own = _Own(vectors, k)
    abx = discrimination(vectors, pairs=pairs, own=own.cosines, should_stop=should_stop)
    chosen = tuple(side.to(vectors.device) for side in chosen_pairs(pairs, len(vectors)))
    ends, away = (chosen[0], chosen[1]), _Away(len(vectors), (chosen[0], chosen[1])) if per_sentence else None
    of_pairs = _similarities(own, ends, away, should_stop)
    lists = torch.stack(own.lists)
    of_pairs["mutual_knn"] = _kept(neighbours.mutual(lists, ends, k), "mutual_knn", away)
    of_pairs["anc"] = _kept(neuron_correlation(vectors, ends), "anc", away)
    assert abx.mutual_each is not None  # exact ABX gives it
    of_pairs["mexa"] = _kept(found_both_ways(abx.mutual_each), "mexa", away)
    if should_stop is not None and should_stop():
        raise Stopped
    entropy, rank = gathered(own.spectra)
    accuracy = language_accuracy(vectors)
    of_languages = {
        "anisotropy": gathered(own.anisotropies)[0],
        "hubness": neighbours.hubness(lists, k),
        "spectrum_entropy": entropy,
        "effective_rank": rank,
        "language_probe": Measured(accuracy, torch.full_like(accuracy, torch.nan)),
    }
    if away is not None:
        away.of |= {name: each.away.float().cpu() for name, each in of_languages.items() if each.away is not None}
    of_languages = {name: replace(each, away=None) for name, each in of_languages.items()}
    return Geometry(of_pairs, of_languages, abx, away.means() if away else {})


def found_both_ways(found: Tensor) -> Measured:
    """Return MEXA of pairs: the share of sentences `found` bool `[pairs, n]`; nan of one sentence, which is always nearest."""
    n = found.shape[1]
    value = found.double().mean(1) if n > 1 else torch.full((len(found),), torch.nan, dtype=torch.float64)
    away = (value[:, None].float() - found.float()) / max(n - 1, 1)
    return Measured(value, torch.full_like(value, torch.nan), away)


class _Away:
    """How far values without each sentence lie from their mean, gathered by language over its pairs."""

    def __init__(self, languages: int, pairs: tuple[Tensor, Tensor]) -> None:
        self.languages, self.pairs = languages, pairs
        self.of: dict[str, Tensor] = {}
        """By metric, `[languages, n]`: sums over pairs, of measures of languages what they have."""
        self._counts: dict[str, Tensor] = {}
        self._seen: dict[str, Tensor] = {}

    def add(self, metric: str, away: Tensor, places: Sequence[int] | None = None) -> None:
        """Add the rows of these pairs, by their places, all by default: each once, however often it is given.

        A row with a nan counts for neither of its languages.
        """
        some = torch.arange(len(away)) if places is None else torch.tensor(places, dtype=torch.int64)
        seen = self._seen.setdefault(metric, torch.zeros(len(self.pairs[0]), dtype=torch.bool))
        new = ((~seen[some]) & away.isfinite().all(1).cpu()).nonzero().squeeze(1)
        seen[some] = True
        total = self.of.setdefault(metric, away.new_zeros(self.languages, away.shape[1], dtype=torch.float64))
        counts = self._counts.setdefault(metric, away.new_zeros(self.languages, dtype=torch.float64))
        for side in self.pairs:
            of = side.cpu()[some[new]]
            for language in sorted(set(of.tolist())):
                here = new[of == language]
                total[language] += away[here.to(away.device)].sum(0, dtype=torch.float64)
                counts[language] += len(here)

    def means(self) -> dict[str, Tensor]:
        """Return what was gathered, float32 on the CPU: of pairs the mean over those of a language."""
        counts = {metric: torch.where(each > 0, each, torch.nan)[:, None] for metric, each in self._counts.items()}
        return {metric: (each / counts[metric] if metric in counts else each).float().cpu() for metric, each in self.of.items()}


def _kept(found: Measured, metric: str, away: _Away | None) -> Measured:
    """Return values and errors alone; what is without each sentence is gathered where that is asked for."""
    if away is not None and found.away is not None:
        away.add(metric, found.away)
    return replace(found, away=None)


class _Own:
    """What is made of each language's own cosines, which are computed once a block."""

    def __init__(self, vectors: Tensor, k: int) -> None:
        self.vectors, self.k = vectors, k
        languages, n, _ = vectors.shape
        self.cosines = vectors.new_empty(languages, n, n, dtype=torch.float64) if languages <= _held(n) else None
        """Of all languages, which ABX reads too; None where they are too many to hold."""
        if (cosines := self.cosines) is not None:
            with workers(vectors.device) as for_each:
                for_each(lambda language: self._multiply(language, cosines[language]), range(languages))
        self.lists: list[Tensor] = [torch.empty(0)] * languages
        self.anisotropies: list[tuple[Tensor, Tensor]] = [(torch.empty(0), torch.empty(0))] * languages
        self.spectra = self.anisotropies.copy()

    def fill(self, language: int, ranks: Tensor, products: Tensor) -> None:
        """Write the two Gram matrices of a language, and keep what else its cosines say."""
        own = self.vectors[language]
        cosines = self.cosines[language] if self.cosines is not None else self._multiply(language)
        if not self.lists[language].numel():
            self.lists[language] = neighbours.nearest(cosines, self.k)
            self.anisotropies[language] = anisotropy(cosines)
            self.spectra[language] = spectrum(own)
        ranks.copy_(similarity.ranks_of(cosines, own.shape[1]))
        products.copy_(similarity.products_of(cosines, torch.linalg.vector_norm(own.double(), dim=1)))

    def _multiply(self, language: int, out: Tensor | None = None) -> Tensor:
        """Return the cosines of a language's sentences, written into `out` where that is given."""
        place = "The embedding of sentence {} in {} (both from 0)"
        units = unit_vectors(self.vectors[language], f"language {language}", place)
        return gram(units, out)


def _similarities(own: _Own, pairs: tuple[Tensor, Tensor], away: _Away | None, should_stop: ShouldStop) -> dict[str, Measured]:
    """Return RSA and CKA of the pairs, some languages' Gram matrices in hand at a time."""
    languages, n, _ = own.vectors.shape
    found = {"rsa": nothing(len(pairs[0])), "cka": nothing(len(pairs[0]))}
    matrices = own.vectors.new_empty(2, min(languages, _held(n)), n, n, dtype=torch.float32)
    for members in _blocks(languages, _held(n)):
        place = {language: at for at, language in enumerate(members)}
        if should_stop is not None and should_stop():
            raise Stopped
        with workers(own.vectors.device) as for_each:
            for_each(lambda at, members=members: own.fill(members[at], *matrices[:, at]), range(len(members)))  # type: ignore[misc]
        inside = [p for p, ends in enumerate(zip(*(side.tolist() for side in pairs), strict=True)) if place.keys() >= set(ends)]
        at = pairs[0].new_tensor(inside)
        local = pairs[0].new_tensor([place.get(language, 0) for language in range(languages)])
        here = local[pairs[0][at]], local[pairs[1][at]]
        grams = similarity.Grams(*matrices[:, : len(members)])
        with workers(own.vectors.device) as for_each:  # a core each: small steps are slower on all of them
            for_each(partial(_compare, grams, here, inside, found, away), range(len(COMPARED)))
    return found


COMPARED = {"rsa": similarity.rsa, "cka": similarity.cka}


def _compare(
    grams: similarity.Grams,
    pairs: tuple[Tensor, Tensor],
    inside: list[int],
    found: dict[str, Measured],
    away: _Away | None,
    number: int,
) -> None:
    """Write one of `COMPARED`, by its place, of the pairs that are `inside` the languages in hand."""
    name, measure = list(COMPARED.items())[number]
    part = measure(grams, pairs)
    found[name].value[inside], found[name].error[inside] = part.value, part.error
    if away is not None and part.away is not None:
        away.add(name, part.away, inside)


def _held(n: int) -> int:
    """Return of how many languages both Gram matrices of n sentences are held: at least two."""
    return max(2, GRAMS // (8 * n * n))


def _blocks(languages: int, held: int) -> Iterator[list[int]]:
    """Give sets of at most `held` languages so that every two are in one of them."""
    if languages <= held:
        yield list(range(languages))
        return
    parts = [part.tolist() for part in np.array_split(np.arange(languages), -(-languages // (held // 2)))]
    for one, other in combinations_with_replacement(range(len(parts)), 2):
        if one != other:
            yield parts[one] + parts[other]
