"""Scores of pairs of languages as a map has them: each language's at its place, the pairs that are joined, and the groups.

Of any family whose scores are of pairs, or of languages alone: a language's own score is that of the pair with itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from isogloss.backend.corpora.languages.facts import facts
from isogloss.backend.errors import CorpusError
from isogloss.backend.metrics.clusters import clusters, cuts
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Joined = Literal["at least", "at most"]
"""Pairs between which a line is drawn: those whose score is at least, or at most, the threshold."""
APART = frozenset({"abx_language"})
"""Measures of pairs whose higher score means two languages further apart; of all others the higher, the nearer."""
MOST_LINES = 500
"""Of one map: more cannot be told apart. The highest of those at least, the lowest of those at most the threshold."""
ENDS = ("source", "target")
NUMBERS = ("value", "low", "high")


@in_recipes
def on_a_map(
    rows: pd.DataFrame,
    *,
    languages: Sequence[str],
    to: str | None = None,
    groups: int = 1,
    apart: bool = False,
    joined: Joined | None = None,
    threshold: float = 0.0,
    each: str | None = None,
    directed: bool = False,
) -> pd.DataFrame:
    """Return the marks of a map, of each value of the column `each` where there is one, else of one map.

    Args:
        rows: Scores of pairs, a row a pair or a direction of one: source, target, value, and low and high where there are any.
        languages: Which languages there are.
        to: The language whose scores with each are looked at; None: a language's mean over its pairs. An interval of a mean is
            the mean of its pairs' intervals, the widest that it can have.
        groups: How many groups of languages there may be (`clusters`), by these scores; 1: all are one.
        apart: Whether a higher score means two languages further apart; else the higher, the nearer.
        joined: Which pairs are among the marks, by `threshold`; None: none of them.
        threshold: The least, or the greatest, score of these.
        each: The column by whose values there are several maps, in the order of `rows`.
        directed: Whether a score is of its source and `to` is only ever a target; there are no groups then.

    Returns:
        A row a language: mark (`language`), `each`, source, target (`to` or none), value, low, high, pairs (how many it is the
        mean of), group (1 the largest, 0 none), latitude and longitude in degrees (nan where unknown). Below them a row a
        joined pair: mark (`pair`), source, target, value, low, high.
    """
    places = np.array([_place(tag) for tag in languages], np.float64).reshape(-1, 2)
    maps = {None: np.arange(len(rows))} if each is None else rows.groupby(each, sort=False).indices
    ends = [_places(rows[name], languages) for name in ENDS]  # of all maps at once: thirty-three have a million names
    numbers = {name: rows[name].to_numpy(np.float64) if name in rows else np.full(len(rows), np.nan) for name in NUMBERS}
    found = []
    for at in [None] if each is None else rows[each].dropna().unique():
        own = maps[at]
        source, target = (end[own] for end in ends)
        squares = _squares(source, target, {name: every[own] for name, every in numbers.items()}, len(languages), directed)
        group = 1 if directed or groups == 1 else clusters(squares["value"] * (1 if apart else -1), groups)
        marks = _languages(squares, languages, to).assign(group=group, latitude=places[:, 0], longitude=places[:, 1])
        marks = pd.concat([marks, _pairs(squares, languages, joined, threshold)], ignore_index=True)
        found.append(marks if each is None else marks.assign(**{each: at}))
    columns = ["mark", *([each] if each else []), "source", "target", *NUMBERS, "pairs", "group", "latitude", "longitude"]
    return pd.concat(found, ignore_index=True)[columns] if found else pd.DataFrame(columns=columns)


def groups_of(squares: Floats, most: Sequence[int], *, apart: bool) -> NDArray[np.int64]:
    """Return the groups of languages by their pairs' scores [languages, languages], for several `groups` of `on_a_map`."""
    return cuts(squares * (1 if apart else -1), most)


@in_recipes
def of_languages(rows: pd.DataFrame, value: str) -> pd.DataFrame:
    """Return the column `value` of each `language` as the score of the pair with itself, as `on_a_map` takes it."""
    return pd.DataFrame({"source": rows["language"], "target": rows["language"], "value": rows[value]})


def _place(tag: str) -> tuple[float | None, float | None]:
    try:
        known = facts(tag)
    except CorpusError:
        return None, None
    return known.latitude, known.longitude


def _places(column: pd.Series, languages: Sequence[str]) -> NDArray[np.int64]:
    """Return where each row's language stands among `languages`, -1 for none of them."""
    codes, tags = pd.factorize(column)
    place = {tag: number for number, tag in enumerate(languages)}
    return np.array([*(place.get(tag, -1) for tag in tags), -1], np.int64)[codes]


def _squares(
    source: NDArray[np.int64], target: NDArray[np.int64], numbers: Mapping[str, Floats], size: int, directed: bool
) -> dict[str, Floats]:
    """Return value, low and high of each pair, [languages, languages]: the mean of its rows, nan without any.

    `source` and `target` are the languages of each row by their places (`_places`), `numbers` its value, low and high. Where
    scores are not `directed` those of both directions.
    """
    known, flat = (source >= 0) & (target >= 0), [source * size + target]
    if not directed:
        flat.append(target * size + source)
    found = {}
    for name, values in numbers.items():
        kept = known & np.isfinite(values)
        at = np.concatenate([each[kept] for each in flat])
        total = np.bincount(at, np.tile(values[kept], len(flat)), minlength=size**2).reshape(size, size)
        count = np.bincount(at, minlength=size**2).reshape(size, size)
        found[name] = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return found


def _languages(squares: dict[str, Floats], languages: Sequence[str], to: str | None) -> pd.DataFrame:
    """Return each language's score with `to`, or its mean over its pairs."""
    frame = pd.DataFrame({"mark": "language", "source": list(languages), "target": to or ""})
    column = slice(None) if to is None else [list(languages).index(to)]
    for name, square in squares.items():
        among = square[:, column]
        count = np.isfinite(among).sum(axis=1)
        frame[name] = np.divide(np.nansum(among, axis=1), count, out=np.full(len(frame), np.nan), where=count > 0)
        if name == "value":
            frame["pairs"] = count
    return frame


def _pairs(squares: dict[str, Floats], languages: Sequence[str], joined: Joined | None, threshold: float) -> pd.DataFrame:
    """Return the pairs whose score is at least, or at most, the threshold."""
    first, second = np.triu_indices(len(languages), 1)
    value = squares["value"][first, second]
    if joined is None:
        kept = np.zeros(0, np.int64)
    else:
        far = value - threshold if joined == "at least" else threshold - value
        with np.errstate(invalid="ignore"):
            kept = np.flatnonzero(far >= 0)
        kept = kept[np.argsort(-far[kept], kind="stable")][:MOST_LINES]
    tags = np.array(languages, dtype=object)
    numbers = {name: square[first[kept], second[kept]] for name, square in squares.items()}
    return pd.DataFrame({"mark": "pair", "source": tags[first[kept]], "target": tags[second[kept]]} | numbers)
