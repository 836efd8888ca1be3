"""Every measure of geometry of one layer, in one pass with exact ABX."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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


def geometry(vectors: Tensor, *, pairs: Pairs = None, k: int = 10, should_stop: ShouldStop = None) -> Geometry:
    """Measure one layer: `vectors` `[languages, n, dims]` at their true length, on the CPU or a CUDA device.

    `k` is of neighbours. Raises as `discrimination` does, and `Stopped`.
    """
    check_shape(vectors)
    own = _Own(vectors, k)
    abx = discrimination(vectors, pairs=pairs, own=own.cosines, should_stop=should_stop)
    chosen = tuple(side.to(vectors.device) for side in chosen_pairs(pairs, len(vectors)))
    of_pairs = _similarities(own, (chosen[0], chosen[1]), should_stop)
    lists = torch.stack(own.lists)
    of_pairs["mutual_knn"] = neighbours.mutual(lists, (chosen[0], chosen[1]), k)
    of_pairs["anc"] = neuron_correlation(vectors, (chosen[0], chosen[1]))
    assert abx.mutual is not None  # exact ABX gives it
    found = abx.mutual[chosen[0].cpu(), chosen[1].cpu()]
    of_pairs["mexa"] = Measured(found, torch.full_like(found, torch.nan))
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
    return Geometry(of_pairs, of_languages, abx)


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


def _similarities(own: _Own, pairs: tuple[Tensor, Tensor], should_stop: ShouldStop) -> dict[str, Measured]:
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
            for_each(partial(_compare, grams, here, inside, found), range(len(COMPARED)))
    return found


COMPARED = {"rsa": similarity.rsa, "cka": similarity.cka}


def _compare(
    grams: similarity.Grams, pairs: tuple[Tensor, Tensor], inside: list[int], found: dict[str, Measured], number: int
) -> None:
    """Write one of `COMPARED`, by its place, of the pairs that are `inside` the languages in hand."""
    name, measure = list(COMPARED.items())[number]
    part = measure(grams, pairs)
    found[name].value[inside], found[name].error[inside] = part.value, part.error


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
