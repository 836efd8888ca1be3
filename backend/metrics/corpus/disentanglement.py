"""Disentanglement: does each place of a message, or each symbol, speak of one attribute of its meaning and of no other?

Of positions ("posdis") and of the bag of symbols ("bosdis"), Chaabouni et al. 2020, section 4.1: the mean over positions, or
over symbols, of (I₁ − I₂) / H. H is the entropy of the symbol at that position, or of how often that symbol is said in a
message, I₁ and I₂ its largest and second largest mutual information with an attribute. What never varies is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

TABLE = 1 << 20
"""Counted in a table up to so many cells, by sorting beyond."""


@dataclass(frozen=True, eq=False)
class Entries:
    """What messages have of some variables: positions whose states are symbols, or symbols whose states are how often.

    A message without an entry of a variable is in a state of its own: it has ended before that place, or lacks that symbol.
    """

    message: NDArray[np.int64]
    """[entries]"""
    cell: NDArray[np.int64]
    """[entries], which variable and state: a number from 0 to cells − 1"""
    variable: NDArray[np.int64]
    """[cells], the variable of each: a number from 0 to variables − 1"""


def positions(ids: NDArray[np.integer], starts: NDArray[np.int64]) -> Entries:
    """Return the symbol at each place of each message; message `i` is `ids[starts[i]:starts[i + 1]]`."""
    lengths = np.diff(starts)
    message = np.repeat(np.arange(len(lengths)), lengths)
    place = np.arange(len(ids)) - starts[message]
    return _entries(message, place, ids.astype(np.int64))


def bags(ids: NDArray[np.integer], starts: NDArray[np.int64]) -> Entries:
    """Return how often each message has each symbol that it has; messages as in `positions`."""
    lengths = np.diff(starts)
    symbols, place = np.unique(ids, return_inverse=True)
    keys, times = np.unique(
        np.repeat(np.arange(len(lengths)), lengths) * max(len(symbols), 1) + place.reshape(-1), return_counts=True
    )
    return _entries(keys // max(len(symbols), 1), keys % max(len(symbols), 1), times)


def disentanglement(entries: Entries, meanings: NDArray[np.int64], kept: NDArray[np.bool_] | None = None) -> float:
    """Between 0 and 1; 1 where every position (or symbol) speaks of one attribute alone, and says all that it can of it.

    Mutual information and entropy are plug-in estimates, so a language without meaning is above 0: compare with meanings in a
    random order. nan with fewer than two attributes, since the second largest is then not defined, and where nothing varies.

    Args:
        entries: Of `positions` or `bags`.
        meanings: Each attribute's value as a number from 0 `[messages, attributes]`; equal or different is all that counts.
        kept: The messages to count `[messages]`; all if not given.
    """
    messages, attributes = meanings.shape
    kept = np.ones(messages, bool) if kept is None else kept
    total = int(kept.sum())
    there = kept[entries.message]
    message, cell = entries.message[there], entries.cell[there]
    variables = int(entries.variable.max(initial=-1)) + 1
    if attributes < 2 or not total or not variables:
        return float("nan")
    said = np.bincount(cell, minlength=len(entries.variable))
    absent = total - np.bincount(entries.variable, said, variables)
    varies = np.bincount(entries.variable, said > 0, variables) + (absent > 0) > 1
    of_states = np.bincount(entries.variable, _weighed(said), variables) + _weighed(absent)
    entropy = np.log(total) - of_states / total
    information = [
        entropy + _given(message, cell, entries.variable, column, kept, variables)
        for column in np.ascontiguousarray(meanings.T)
    ]
    second, first = np.sort(np.maximum(information, 0.0), axis=0)[-2:]
    gaps = (first - second)[varies] / entropy[varies]
    return float(np.clip(gaps, 0.0, 1.0).mean()) if len(gaps) else float("nan")


def _given(
    message: NDArray[np.int64],
    cell: NDArray[np.int64],
    variable: NDArray[np.int64],
    values: NDArray[np.int64],
    kept: NDArray[np.bool_],
    variables: int,
) -> NDArray[np.float64]:
    """Entropy of an attribute less that of it together with each variable's state, in nats: [variables]."""
    size = int(values.max(initial=0)) + 1
    of_value = np.bincount(values[kept], minlength=size)
    total = int(of_value.sum())
    keys, joint = _tally(cell * size + values[message], len(variable) * size)
    together = np.bincount(variable[keys // size], _weighed(joint), variables)
    keys, touched = _tally(variable[cell] * size + values[message], variables * size)
    whole = of_value[keys % size]
    lacking = _weighed(whole - touched) - _weighed(whole)
    result: NDArray[np.float64] = (together + np.bincount(keys // size, lacking, variables)) / total
    return result


def _entries(message: NDArray[np.int64], variable: NDArray[np.int64], state: NDArray[np.int64]) -> Entries:
    place = np.unique(variable, return_inverse=True)[1].reshape(-1)
    states, which = np.unique(state, return_inverse=True)
    size = max(len(states), 1)
    cells, cell = np.unique(place * size + which.reshape(-1), return_inverse=True)
    return Entries(message, cell.reshape(-1), cells // size)


def _tally(keys: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the different keys, all below `size`, and how often each occurs."""
    if size > TABLE:
        return np.unique(keys, return_counts=True)
    counts = np.bincount(keys, minlength=size)
    distinct = np.flatnonzero(counts)
    return distinct, counts[distinct]


def _weighed(counts: NDArray[np.integer]) -> NDArray[np.float64]:
    """Return n · ln n of each count, which is 0 at 0."""
    numbers = counts.astype(np.float64)
    return numbers * np.log(np.where(numbers > 0, numbers, 1.0))
