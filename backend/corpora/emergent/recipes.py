"""Reference corpora made and kept: from a recipe and a name to an entry of the library, as if it had been brought.

The same recipe makes the same corpus. How each kind is made is in `backend.corpora.emergent.reference`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent import reference
from isogloss.backend.corpora.emergent.corpus import EmergentCorpus, EmergentReport, Origin, Symbols
from isogloss.backend.corpora.emergent.reference import ALPHA, BETA, LENGTH, VOCABULARY, Protocol, Utterances
from isogloss.backend.corpora.shared import kept
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from isogloss.backend.corpora.emergent.library import EmergentEntry

Kind = Literal["random", "paren-synth", "paren-real", "shuffled-within", "shuffled-over"]
KINDS: dict[Kind, tuple[str, str]] = {
    "random": ("Random", "Every symbol as likely as any other: the baseline with nothing to learn."),
    "paren-synth": ("Paren synth", "Nested pairs of symbols, drawn by a Zipf–Mandelbrot law: structure without meaning."),
    "paren-real": ("Paren real", "Nested pairs of symbols, as frequent as those of a saved corpus."),
    "shuffled-within": (
        "Shuffled within utterances",
        "The tokens of each utterance in a random order: what is said stays, its order goes.",
    ),
    "shuffled-over": (
        "Shuffled over the corpus",
        "All tokens in a random order, in utterances as long as before: only frequencies stay.",
    ),
}
"""What people call each, and what it is."""
OF_A_CORPUS: tuple[Kind, ...] = ("paren-real", "shuffled-within", "shuffled-over")
"""Made from a saved corpus."""
MOST = 20_000_000
"""Tokens of a made corpus; the paper's have 15 million."""
MOST_SYMBOLS = 10_000_000


@dataclass(frozen=True)
class Recipe:
    """What is to be made. What a kind does not use is ignored."""

    kind: Kind
    of: str | None = None
    """The content id of the kept corpus that it is made from, for `OF_A_CORPUS`."""
    tokens: int = 2_000_000
    """Of Random and Paren; a shuffled corpus has those of the original."""
    vocabulary: int = VOCABULARY
    """Symbols, of Random and Paren synth."""
    length: int = LENGTH
    """Tokens per utterance, of Random and Paren."""
    alpha: float = ALPHA
    """Of Paren synth, as is β."""
    beta: float = BETA
    protocol: Protocol = "correct"
    """Of Paren: how often a parenthesis opens."""
    seed: int = 0

    @property
    def title(self) -> str:
        """What people call its kind."""
        return KINDS[self.kind][0]


def make(recipe: Recipe, workspaces: Sequence[Path]) -> EmergentCorpus:
    """Return the corpus of a recipe.

    Raises `CorpusError` where a number is out of range, or the corpus to make it from is not named or not kept, `StoreError`
    where that corpus' files are damaged.
    """
    _check(recipe)
    if recipe.kind in OF_A_CORPUS:
        return _of_a_corpus(recipe, workspaces)
    if recipe.kind == "random":
        made = reference.uniform(recipe.tokens, recipe.seed, recipe.vocabulary, recipe.length)
        how = f"{recipe.vocabulary:,} symbols, seed {recipe.seed}"
    else:
        law = reference.zipf_mandelbrot(recipe.vocabulary, recipe.alpha, recipe.beta)
        made = reference.paren(recipe.tokens, law, recipe.seed, recipe.protocol, recipe.length)
        how = f"{recipe.vocabulary:,} symbols, α = {recipe.alpha:g}, β = {recipe.beta:g}, {_opening(recipe)}"
    return _corpus(made, recipe, how)


def make_and_keep(recipe: Recipe, name: str, workspaces: Sequence[Path]) -> EmergentEntry:
    """Make a corpus and keep it under a name, in the first workspace. What is saved already stays under the name it has.

    Raises `CorpusError` as `make` does, and for a name that is empty, too long or taken; `StoreError` where the workspace
    cannot be written.
    """
    name = kept.checked_name(name, "emergent corpus")
    return emergent_library.keep(make(recipe, workspaces), name, workspaces[0])


def suggested_name(recipe: Recipe, source_name: str = "") -> str:
    """Return what to call it: `Random, seed 0`, or `Paren real of News, seed 0`, `source_name` being the corpus' name."""
    end = f", seed {recipe.seed}"
    match recipe.kind:
        case "random" | "paren-synth":
            return recipe.title + end
        case "paren-real":
            return f"{recipe.title} of {source_name}"[: kept.MAX_NAME - len(end)] + end
        case "shuffled-within" | "shuffled-over":
            end = f", {recipe.title.lower()}{end}"
            return source_name[: kept.MAX_NAME - len(end)] + end


def _of_a_corpus(recipe: Recipe, workspaces: Sequence[Path]) -> EmergentCorpus:
    if not recipe.of:
        raise CorpusError(f"{recipe.title} is made from a corpus.", remedy="Say which.")
    given = emergent_library.load(recipe.of, workspaces)
    name = next((entry.name for entry in emergent_library.entries(workspaces) if entry.id == recipe.of), recipe.of)
    match recipe.kind:
        case "shuffled-within":
            made, how = reference.shuffled_within(given.ids, given.starts, recipe.seed), f"{name}, seed {recipe.seed}"
        case "shuffled-over":
            made, how = reference.shuffled_over(given.ids, given.starts, recipe.seed), f"{name}, seed {recipe.seed}"
        case _:
            law = reference.unigrams(given.ids)
            made = reference.paren(recipe.tokens, law, recipe.seed, recipe.protocol, recipe.length)
            how = f"the unigrams of {name}, {_opening(recipe)}"
    return _corpus(made, recipe, how, given.vocabulary, given.report.symbols)


def _corpus(
    made: Utterances, recipe: Recipe, how: str, vocabulary: tuple[str, ...] | None = None, symbols: Symbols = "integers"
) -> EmergentCorpus:
    origin: Origin = "random" if recipe.kind == "random" else "synthetic"
    report = EmergentReport(recipe.title, symbols, source=how, origin=origin)
    return EmergentCorpus(made.ids, made.starts, vocabulary, report)


def _opening(recipe: Recipe) -> str:
    return f"opening with probability {reference.OPENING[recipe.protocol]:g}, seed {recipe.seed}"


def _check(recipe: Recipe) -> None:
    if recipe.kind not in ("shuffled-within", "shuffled-over"):
        _at_most("tokens", recipe.tokens, MOST)
        _at_most("tokens per utterance", recipe.length, MOST)
    if recipe.kind in ("random", "paren-synth"):
        _at_most("symbols", recipe.vocabulary, MOST_SYMBOLS)
    if recipe.seed < 0:
        raise CorpusError(f"A seed is 0 or more, not {recipe.seed}.", remedy="Choose another.")


def _at_most(what: str, number: int, most: int) -> None:
    if not 1 <= number <= most:
        raise CorpusError(
            f"A made corpus has 1 to {most:,} {what}, not {number:,}.", remedy=f"Choose another number of {what}."
        )
