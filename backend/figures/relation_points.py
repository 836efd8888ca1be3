"""The points of a scatter of two measures: what each is called, its group by which it is coloured, and what its hover adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from isogloss.backend.charts.parts.text import number
from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.experiments.language_groups import group_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from isogloss.backend.experiments.language_groups import By
    from isogloss.backend.experiments.relations.reading import Question

NAMES = {"Nothing": "groups", "Language family": "families", "Genus": "genera", "Script": "scripts"}
NAMES |= {"Region": "regions", "Resource level": "resource levels"}
GROUPS: dict[str, By] = {"Language family": "family", "Genus": "genus", "Script": "script", "Region": "region"}
GROUPS |= {"Resource level": "resource level"}
COLOURS = list(NAMES)
"""What points may be coloured by."""


def points_of(rows: pd.DataFrame, question: Question, x: str, y: str, by: str, labels: Mapping[str, str]) -> pd.DataFrame:
    """Return the rows as a scatter takes them: name, group, x, y, and what there is to say of outcomes of elsewhere."""
    if question.unit == "pair":
        (source, sources), (target, targets) = (pd.factorize(rows[end]) for end in ("source", "target"))
        first, second = (np.array([name_of(tag) for tag in tags], object) for tags in (sources, targets))
        names = (first[source] + " – " + second[target]).tolist()  # 20,706 pairs, of 204 languages
        first, second = (np.array([_group(tag, by) for tag in tags], object) for tags in (sources, targets))
        groups = np.where(first[source] == second[target], first[source], f"Two {NAMES[by]}").tolist()
    else:
        keys = rows[question.unit].astype(str).tolist()
        known = {key: _place(key, question.unit, labels) for key in dict.fromkeys(keys)}
        names = [known[key] for key in keys]
        groups = [_group(key, by) if question.unit == "language" else "" for key in keys]
    if question.along:
        places = [_place(str(key), question.along, labels) for key in rows[question.along]]
        names = [f"{name}, {place}" for name, place in zip(names, places, strict=True)]
    if by == "Nothing":
        groups = [""] * len(names)
    more = {"more": _sources(rows, (x, y))} if {f"{x}_source", f"{y}_source"} & {*rows.columns} else {}
    return pd.DataFrame({"name": names, "group": groups, "x": rows[x], "y": rows[y]} | more)


def _sources(rows: pd.DataFrame, measures: Sequence[str]) -> list[str]:
    """Return interval, n and source of each row's outcomes of elsewhere, a line each."""
    lines: list[list[str]] = [[] for _ in range(len(rows))]
    for name in measures:
        if f"{name}_source" not in rows.columns:
            continue
        own = zip(*(rows[f"{name}_{each}"] for each in ("low", "high", "n", "source")), strict=True)
        for line, (low, high, n, source) in zip(lines, own, strict=True):
            bounds = [f"95% {number(low, '.3g')} to {number(high, '.3g')}"] if low == low else []
            size = [f"n = {int(n):,}"] if n == n else []
            line += [each for each in (" · ".join([*bounds, *size]), str(source)) if each]
    return ["\n".join(line) for line in lines]


def _group(tag: str, by: str) -> str:
    """Return the group of a language; `Unknown` of what is none, and where it is not known."""
    return (group_of(tag, GROUPS[by]) if by in GROUPS else None) or "Unknown"


def _place(key: str, unit: str, labels: Mapping[str, str]) -> str:
    match unit:
        case "language":
            return name_of(key)
        case "layer":
            return f"layer {key}"
        case "checkpoint":
            return labels.get(key, key)
        case _:
            return key
