"""IGap as the paper's text says it, record by record in exact fractions: slow, and without numpy."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

Record = tuple[Fraction, list[Fraction]]
"""Training error, and the error on the translations into each language."""


def igap_by_hand(records: list[Record], at: Fraction, epsilon: Fraction) -> list[Fraction | None]:
    """The least gap of each language among the models in the window; None where there is no model."""
    languages = len(records[0][1])
    found: list[Fraction | None] = [None] * languages
    for train, translated in records:
        if not 0 <= train - at < epsilon:
            continue
        for language in range(languages):
            gap = translated[language] - train
            best = found[language]
            if best is None or gap < best:
                found[language] = gap
    return found


def ranking_accuracy_by_hand(gold: list[Fraction], predicted: list[Fraction]) -> Fraction | None:
    """Pairs in the same strict order in both, of all pairs; None where there is no pair."""
    pairs = list(combinations(range(len(gold)), 2))
    if not pairs:
        return None
    alike = 0
    for i, j in pairs:
        if (gold[i] > gold[j] and predicted[i] > predicted[j]) or (gold[i] < gold[j] and predicted[i] < predicted[j]):
            alike += 1
    return Fraction(alike, len(pairs))
