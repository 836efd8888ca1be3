"""Python that gives a figure's numbers again, to paste into a notebook in the repository's folder.

Every snippet is run by `tests/pages/abx/test_abx_snippets.py` and must give the very rows that its figure was drawn from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from backend.models.entry import Checkpoint, Model
from pages.abx.selection import Selection

HEAD = """\
import pandas as pd

from backend.experiments.abx import correlations as abx_correlations
from backend.settings import settings
from backend.experiments.abx import queries as abx_queries
from backend.store import scores

# With ISOGLOSS_WORKSPACE set as it was for the server that showed the figure.
have = scores.shards(settings().workspaces, 'abx')
"""
LABELS = """\
frame = frame.merge(known, on='checkpoint').sort_values(['model', 'position'], kind='stable', ignore_index=True)
"""
PLACED = "frame = frame.assign(step=frame['step'].astype('Float64').fillna(frame['position']).astype(float))\n"
"""A checkpoint whose name tells no step stands at its position."""
PRINT = "print(frame)\n"


def snippet(
    selection: Selection,
    call: str,
    *,
    of: Sequence[tuple[Model, Checkpoint]] | None = None,
    through: str = "",
    then: str = "",
    **more: Any,
) -> str:
    """Code that calls `backend.experiments.abx.queries.<call>` on the files of this selection and names the checkpoints.

    `of` are the checkpoints, all computed ones where None; `through` is a function that the rows go through before they are
    named (`abx_correlations.over_checkpoints`); `then` is what the figure does afterwards; `more` are arguments of `call`.
    """
    return _imports(through) + rows(selection, call, of=of, through=through, then=then, **more) + PRINT


def of_two(first: Selection, second: Selection, names: tuple[str, str], call: str, *, then: str = "", **more: Any) -> str:
    """The rows of two selections under each other, told apart by the column `side`."""
    one, two = (rows(selection, call, then=then, **more) for selection in (first, second))
    return (
        f"{_imports('')}{one}first = frame.assign(side={names[0]!r})\n\n"
        f"{two}frame = pd.concat([first, frame.assign(side={names[1]!r})], ignore_index=True)\n{PRINT}"
    )


def rows(
    selection: Selection,
    call: str,
    *,
    of: Sequence[tuple[Model, Checkpoint]] | None = None,
    through: str = "",
    then: str = "",
    **more: Any,
) -> str:
    """The part of a snippet that makes `frame`; it follows `HEAD`."""
    known = _known(selection, of)
    shards = sorted({selection.covered[fingerprint].path.stem for fingerprint, *_ in known})
    arguments = "".join(f", {name}={value!r}" for name, value in more.items())
    query = f"abx_queries.{call}(files, languages, sorted(set(known['checkpoint'])){arguments})"
    return (
        f"files = [shard.path for shard in have if shard.path.stem in {_lines(shards, '{}')}]\n"
        f"languages = {list(selection.languages)!r}\n"
        f"known = pd.DataFrame(\n    {_lines(known, '[]', indent=4)},\n"
        "    columns=['checkpoint', 'model', 'label', 'step', 'position'],\n)\n"
        f"frame = {f'{through}({query})' if through else query}\n{LABELS}{then}"
    )


def only(metric: str, layers: Sequence[int]) -> str:
    """Code that keeps one metric and the chosen layers of `frame`."""
    return f"frame = frame[(frame['metric'] == {metric!r}) & frame['layer'].isin({list(layers)!r})]\n"


def _imports(through: str) -> str:
    return HEAD if through else HEAD.replace("from backend.experiments.abx import correlations as abx_correlations\n", "")


def _known(selection: Selection, of: Sequence[tuple[Model, Checkpoint]] | None) -> list[tuple[Any, ...]]:
    """What the page knows of each checkpoint: fingerprint, model, label, step, position among those chosen."""
    wanted = of if of is not None else [(model, each) for model in selection.models for each in selection.computed(model)]
    return [
        (each.fingerprint, model.name, each.label, each.step, selection.checkpoints(model).index(each))
        for model, each in wanted
    ]


def _lines(values: Sequence[object], brackets: str, indent: int = 0) -> str:
    """A list or set of `values`, one a line."""
    space = " " * indent
    inner = "".join(f"{space}    {value!r},\n" for value in values)
    return f"{brackets[0]}\n{inner}{space}{brackets[1]}"
