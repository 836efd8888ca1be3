"""The paper's control of ABX: the variable of interest held constant in A, B and X, so that both candidates fit alike.

- language: X, A and B are three sentences of one language.
- meaning: X, A and B are one sentence in three languages.

The paper (section 4.1) prints no triplets of it. With the other variable controlled too, A and B would be the same sentence and
every triplet a tie; so the other variable is let go. Over all triplets the score would be 0.5 whatever the vectors, each with
its A and B swapped being there too: A or B is therefore drawn, see `docs/definitions.md`.
Source: de Seyssel et al. 2025, "Discriminating Form and Meaning in Multilingual Models with Minimal-Pair ABX Tasks".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from isogloss.backend.device_memory import in_halves
from isogloss.backend.metrics.abx.counting import unit_vectors_by_language

if TYPE_CHECKING:
    from collections.abc import Callable

    Signs = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Held:
    """Scores of the control: float64 `[languages, languages]` on the CPU, symmetric; nan on the diagonal and for other pairs.

    `language` is nan for fewer than three sentences, `meaning` for fewer than three languages.
    """

    language: Tensor
    meaning: Tensor


@dataclass(frozen=True)
class HeldCounts:
    """The draws of the control, and the sums of its outcomes (+1 right, 0 tie, -1 wrong) as they are counted."""

    steps: Tensor
    """int64 `[languages, sentences]`, 1 to sentences - 1: of X = p and A = q, B is the sentence (q + steps[i, p]) mod n."""
    language: Tensor
    """float64 `[languages]`, filled by `add_rows`; each language by one thread at a time."""
    generator: torch.Generator
    """Draws whether A is of the first language of a pair; on the CPU, so that every device draws the same."""

    def add_rows(self, similarities: Tensor, i: int, top: int, signs: Signs) -> None:
        """Count the triplets of language i whose X are the sentences from `top` on; `similarities` are their rows of S_ii.

        `signs` makes outcomes of differences, in place.
        """
        rows, n = similarities.shape
        step = self.steps[i, top : top + rows, None]
        differences = similarities - similarities.gather(1, (torch.arange(n, device=similarities.device) + step) % n)
        x = torch.arange(top, top + rows, device=similarities.device)[:, None]
        differences.scatter_(1, torch.cat((x, (x - step) % n), 1), 0)  # X is neither A nor B
        self.language[i] += signs(differences).sum()


def begin(languages: int, sentences: int, device: torch.device, seed: int = 0) -> HeldCounts:
    """Draw what the control of language discrimination needs; nothing is counted yet."""
    generator = torch.Generator().manual_seed(seed)
    steps = torch.randint(1, max(2, sentences), (languages, sentences), generator=generator)
    return HeldCounts(steps.to(device), torch.zeros(languages, dtype=torch.float64, device=device), generator)


def translations(embeddings: Tensor) -> Tensor:
    """Return S_ij[p, p] for all i, j, p: float64 `[languages, languages, sentences]`, where the vectors are.

    Raises as `unit_vectors_by_language`.
    """
    languages, n, _ = embeddings.shape
    similarities = torch.empty(languages, languages, n, dtype=torch.float64, device=embeddings.device)

    def fill(rows: slice) -> None:
        some = unit_vectors_by_language(embeddings[:, rows]).transpose(0, 1).contiguous()
        similarities[:, :, rows] = (some @ some.mT).permute(1, 2, 0)

    for top in range(0, n, 64):  # a few sentences at a time: the product copies its operands
        in_halves(fill, range(top, min(top + 64, n)))
    return similarities


def scores(counts: HeldCounts, similarities: Tensor, pairs: tuple[Tensor, Tensor], signs: Signs) -> Held:
    """Return the control of each of `pairs`, once the rows of every language are counted.

    `similarities` is what `translations` gives. A pair's language score is the mean of its languages'.
    For its meaning score X is every sentence of every third language, and a coin says which language of the pair is A's.
    """
    languages, _, n = similarities.shape
    of_language = _accuracy(counts.language.cpu(), n * (n - 2) if n > 2 else 0)
    similarities = similarities.cpu()
    language, meaning = torch.full((2, languages, languages), torch.nan, dtype=torch.float64)
    for i, j in torch.stack(pairs, 1).tolist():
        coins = torch.randint(0, 2, (languages, n), generator=counts.generator, dtype=torch.int8) * 2 - 1
        outcomes = signs(similarities[i] - similarities[j]) * coins
        outcomes[[i, j]] = 0
        language[i, j] = language[j, i] = (of_language[i] + of_language[j]) / 2
        meaning[i, j] = meaning[j, i] = _accuracy(outcomes.sum(), n * (languages - 2))
    return Held(language, meaning)


def _accuracy(outcomes: Tensor, triplets: int) -> Tensor:
    """Return the share of right triplets, ties one half; nan where there are no triplets."""
    return (triplets + outcomes) / (2 * triplets) if triplets else torch.full_like(outcomes, torch.nan)
