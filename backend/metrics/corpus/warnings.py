"""What should make one careful with a corpus: too small, repeated, no structure beyond its single symbols."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from isogloss.backend.metrics.corpus.structure import BigramStructure

BUDGET = 15_000_000
"""Tokens that XferBench pre-trains on, repeating a smaller corpus (Boldt & Mortensen 2024, section 3)."""
REPEATS = 10
DISTINCT = 0.5
Kind = Literal["empty", "small", "one symbol", "repeated", "no structure"]


@dataclass(frozen=True)
class CorpusWarning:
    """Which rule was met, and what it found in words."""

    kind: Kind
    message: str


def corpus_warnings(
    tokens: int,
    types: int,
    utterances: int,
    distinct_utterances: int,
    structure: BigramStructure,
    budget: int = BUDGET,
) -> tuple[CorpusWarning, ...]:
    """Return the warnings of a corpus with these statistics, the gravest first.

    The rules:

    - "empty": there is no token; no other warning is given then.
    - "one symbol": every token is the same; "repeated" and "no structure" would say it again.
    - "small": pre-training on `budget` tokens sees the corpus more than 10 times, that is, tokens < budget / 10.
    - "repeated": less than half of the utterances are different ones.
    - "no structure": neighbours say no more of each other than in the corpus shuffled: `BigramStructure.exceeds_chance`.
    """
    if not tokens:
        return (CorpusWarning("empty", "The corpus has no symbols."),)
    warnings = []
    if types == 1:
        warnings.append(
            CorpusWarning("one symbol", f"All {tokens:,} tokens are the same symbol." if tokens > 1 else "It is one token.")
        )
    if tokens * REPEATS < budget:
        times = f"{budget / tokens:,.0f} times"
        warnings.append(
            CorpusWarning(
                "small",
                f"{tokens:,} {'token' if tokens == 1 else 'tokens'}: pre-training on {budget:,} sees each of them {times}.",
            )
        )
    if types > 1 and distinct_utterances < DISTINCT * utterances:
        counted = f"{distinct_utterances:,} of {utterances:,} utterances"
        warnings.append(CorpusWarning("repeated", f"Only {counted} are different ones; the rest repeat them."))
    if types > 1 and not structure.exceeds_chance:
        warnings.append(CorpusWarning("no structure", _no_structure(structure)))
    return tuple(warnings)


def _no_structure(structure: BigramStructure) -> str:
    if not structure.pairs:
        return "No utterance has two symbols, so none follows another."
    found, chance = f"{structure.information:.3f}", f"{structure.shuffled:.3f}"
    return (
        f"Neighbouring symbols share {found} bits, and {chance} when the corpus is shuffled: "
        "no structure between them was found beyond how frequent each is."
    )
