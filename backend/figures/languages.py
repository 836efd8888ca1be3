"""What figures say of languages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pydantic import BaseModel

from isogloss.backend.charts.grid import pivot
from isogloss.backend.charts.languages import Order, arranged
from isogloss.backend.corpora.languages.facts import BY_ORDER, credits_of, facts
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.experiments.frames import own_scale
from isogloss.backend.experiments.relations.reading import SPEAKERS, Given
from isogloss.backend.figures.world import world_map
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from isogloss.backend.charts.grid import Grid
    from isogloss.backend.corpora.languages.facts import Fact

BY = frozenset({"order", "by", "drawn"})
"""What arguments are called that say how languages are ordered, grouped, coloured or drawn."""


@in_recipes
def language_table(tags: Sequence[str]) -> pd.DataFrame:
    """Return one row per language: tag, name, right_to_left, and the columns of `GROUPED`: of the last two None is unknown."""
    return _table(tuple(tags)).copy()


def placed(
    languages: Sequence[str], order: Order, pinned: Sequence[str] = ()
) -> tuple[Mapping[str, str], Sequence[str] | None]:
    """Return what `arranged` does of these languages in an order that asks for no scores; not to be changed."""
    return _placed(tuple(languages), order, tuple(pinned))


@lru_cache(maxsize=64)
def _placed(
    languages: tuple[str, ...], order: Order, pinned: tuple[str, ...]
) -> tuple[Mapping[str, str], Sequence[str] | None]:
    return arranged(order, None, _table(languages), pinned)


def ordered_languages(
    rows: pd.DataFrame,
    languages: Sequence[str],
    columns: Collection[Any],
    order: Order,
    pinned: Sequence[str] = (),
    *,
    row: str,
    column: str,
) -> tuple[dict[str, str], list[str] | None]:
    """Return the languages in their order, name by tag, and their groups.

    `rows` have the language (`row`), what lies across (`column`, in the order of `columns`) and value.
    """
    meta = language_table(languages)
    cells = pivot(rows, row=row, column=column, rows=list(meta["tag"]), columns=list(columns))
    return arranged(order, cells.values, meta, pinned)


def language_cells(
    rows: pd.DataFrame,
    languages: Sequence[str],
    columns: Mapping[Any, str],
    order: Order,
    pinned: Sequence[str] = (),
    *,
    row: str,
    column: str,
    title: str,
) -> Grid:
    """Lay out a score of each language, its row in `order`, by what `columns` names; `rows` may have low, high and n too."""
    names, groups = ordered_languages(rows, languages, columns, order, pinned, row=row, column=column)
    return pivot(rows, row=row, column=column, rows=names, columns=dict(columns), title=title, row_groups=groups)


def on_own_scale(cells: Grid, wanted: bool) -> NDArray[np.float64] | None:
    """Return the cells, each language on a scale of its own, where that is `wanted` and some language has one."""
    scaled = own_scale(cells.values) if wanted and cells.values.size else None
    return None if scaled is None or not np.isfinite(scaled).any() else scaled


def credits_of_calls(*calls: partial[Any] | None) -> str:
    """Return who says what a figure has of languages, under which licences, by all calls of its recipe; else nothing.

    That is what they order, group or colour languages by, wherever it stands among their arguments, the places and the
    coastline of a map, and the typological distances and numbers of speakers that a question sets scores against.
    """
    return credits_of(fact for call in calls for fact in _facts(call))


def _facts(value: object, name: str = "") -> Iterator[Fact]:
    """Yield the facts of languages that an argument called `name` asks for, in itself or inside."""
    if isinstance(value, list | tuple) and {*map(type, value)} <= {str}:
        return  # languages, or two of them: of 20,706 pairs nothing more is to be looked at
    match value:
        case str() if name in BY:
            yield from BY_ORDER.get(value.lower().removeprefix("language "), ())
        case partial():
            yield from ("place", "coastline") if value.func is world_map else ()
            yield from _facts([*value.args, value.keywords])
        case Given(covariate=None):
            yield "speakers" if value.column == SPEAKERS else "typology"
        case BaseModel():
            yield from _facts(dict(value))
        case Mapping():
            for key, each in value.items():
                yield from _facts(each, str(key))
        case list() | tuple():
            for each in value:
                yield from _facts(each)
        case _ if is_dataclass(value) and not isinstance(value, type):
            yield from _facts({each.name: getattr(value, each.name) for each in fields(value)})


@lru_cache(maxsize=64)
def _table(tags: tuple[str, ...]) -> pd.DataFrame:
    known_languages = [language(tag) for tag in tags]
    return pd.DataFrame(
        {
            "tag": list(tags),
            "name": [each.name for each in known_languages],
            "family": [each.family for each in known_languages],
            "genus": [each.genus for each in known_languages],
            "script": [each.script_name for each in known_languages],
            "region": [facts(tag).region for tag in tags],
            "resource level": [facts(tag).level for tag in tags],
            "right_to_left": [each.right_to_left for each in known_languages],
        }
    )
