"""The objects of a game: vectors of attribute values, numbered; who is trained on, and who is held out. No torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isogloss.backend.training.signalling_game.options import GameOptions

DRAWN, SPLIT, SPOKEN, EVALUATED, GUESSED, SHUFFLED, DISTRACTED, NOISE, WEIGHTS, COMPARED, EXAMPLES = range(1, 12)
"""What a random generator is for, beside the seed: each purpose has draws of its own."""


@dataclass(frozen=True, eq=False)
class Objects:
    """Numbers of different objects, int64, each ascending."""

    train: NDArray[np.int64]
    held_out: NDArray[np.int64]
    examples: NDArray[np.int64] | None = None
    """Places in `train` of the examples, in the order drawn; None where each object is an example once."""

    def rows(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the places in `train` of numbered examples."""
        return places if self.examples is None else self.examples[places]


def objects_of(options: GameOptions) -> Objects:
    """Return the objects of the game, drawn and divided by the seed."""
    if options.examples is not None:
        held_out, drawn = _examples(options, options.examples)
        train, places = np.unique(drawn, return_inverse=True)
        return Objects(train, held_out, places.astype(np.int64))
    numbers = distinct(np.random.default_rng([options.seed, DRAWN]), options.space, options.played)
    order = np.random.default_rng([options.seed, SPLIT]).permutation(len(numbers))
    return Objects(np.sort(numbers[order[options.kept_back :]]), np.sort(numbers[order[: options.kept_back]]))


def spoken_objects(options: GameOptions) -> NDArray[np.int64]:
    """Return the objects whose messages make the corpus.

    Those of the game, or as many of all as `utterances` says, ascending; with `examples`, these in the order drawn, with their
    repetitions.
    """
    if options.utterances is None and options.examples is not None:
        return _examples(options, options.examples)[1]
    purpose = DRAWN if options.utterances is None else SPOKEN
    return distinct(np.random.default_rng([options.seed, purpose]), options.space, options.spoken)


def _examples(options: GameOptions, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the objects held out, ascending, and n others, any of the rest as likely each time: numbers, int64.

    Where a game is played with all objects, these are never listed: there may be more of them than fit in memory.
    """
    pool = None
    if options.objects is not None:
        pool = distinct(np.random.default_rng([options.seed, DRAWN]), options.space, options.played)
    held_out = distinct(np.random.default_rng([options.seed, SPLIT]), options.played, options.kept_back)
    random = np.random.default_rng([options.seed, EXAMPLES])
    drawn = random.integers(0, options.played, n)
    while (again := np.isin(drawn, held_out)).any():  # at most 90% are held out, so each round leaves fewer
        drawn[again] = random.integers(0, options.played, int(again.sum()))
    return (held_out, drawn) if pool is None else (pool[held_out], pool[drawn])


def values_of(numbers: NDArray[np.int64], options: GameOptions) -> NDArray[np.int64]:
    """Return the values `[n, attributes]` of numbered objects: the number's digits to the base `values`, the highest first."""
    powers = options.values ** np.arange(options.attributes - 1, -1, -1, dtype=np.int64)
    return numbers[:, None] // powers % options.values


def distinct(random: np.random.Generator, below: int, n: int) -> NDArray[np.int64]:
    """Different numbers, `n` of them, from 0 to `below` (exclusive), ascending; every set of n is equally likely.

    Raises ValueError where there are not so many.
    """
    if n > below:
        raise ValueError(f"There are no {n} different numbers below {below}.")
    if n == below:
        return np.arange(n, dtype=np.int64)
    if 2 * n > below:
        return np.sort(random.permutation(below)[:n]).astype(np.int64)
    found = np.empty(0, np.int64)
    while len(found) < n:  # each round leaves fewer than half of what was missing
        found = np.concatenate([found, random.integers(0, below, n - len(found))])
        found = found[np.sort(np.unique(found, return_index=True)[1])]
    return np.sort(found)


def distractors(random: np.random.Generator, targets: NDArray[np.int64], among: int, n: int) -> NDArray[np.int64]:
    """For each of `targets` `[rows]`, places from 0 to `among`, n other places `[rows, n]`: all different.

    Every set of n is equally likely (Floyd's algorithm, all rows at once; Bentley & Floyd 1987); the order means nothing.
    Raises ValueError where there are not so many.
    """
    if n >= among:
        raise ValueError(f"There are no {n} distractors among {among} objects.")
    chosen = np.empty((len(targets), n), np.int64)
    for column, most in enumerate(range(among - 1 - n, among - 1)):
        drawn = random.integers(0, most + 1, len(targets))
        taken = (chosen[:, :column] == drawn[:, None]).any(axis=1)
        chosen[:, column] = np.where(taken, most, drawn)
    return (targets[:, None] + 1 + chosen) % among
