"""What never leaves a workspace: sentences of its data, the paths and the name of its machine, and who did what."""

from __future__ import annotations

import html
import json
import re
import socket
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from isogloss.backend.charts.parts.text import MARKUP
from isogloss.backend.errors import StoreError
from isogloss.backend.recipe_mark import gives_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from isogloss.backend.boards.report import Entry

LETTERS = 16
"""So many letters of a text's piece, each of a script without spaces counting twice, are no name but somebody's words."""
SHOWS_TEXTS = "Left out: it shows texts of data, which an atlas does not publish."
UNREADABLE = "Left out: this version of Isogloss cannot read how it was made."


def left_out(part: Entry, workspaces: Sequence[Path]) -> str:
    """Return why a part of a board is not published; nothing where it is.

    It shows texts (`SHOWS_TEXTS`) where a call of its recipe gives them (`recipe_mark.holds_texts`), and where a longer text in
    its rows or its figure stands in the data that it rests on.
    """
    if part.is_text:
        return ""
    if part.recipe is None:
        return UNREADABLE
    if any(gives_texts(call.func) for call in _calls(part.recipe.calls)):
        return SHOWS_TEXTS
    figure = {} if part.figure is None else json.loads(part.figure.to_json())
    pieces = set(_pieces([*_strings(figure), *(text for column in part.rows for text in _texts_of(part.rows[column]))]))
    whole = "\n".join(_data([str(each["id"]) for each in part.rests_on.corpora], workspaces)) if pieces else ""
    return SHOWS_TEXTS if any(piece in whole for piece in pieces) else ""


def refused(workspaces: Sequence[Path]) -> re.Pattern[str]:
    """Return a pattern of what may stand in no file of an atlas: paths of workspaces and the home, the machine's name."""
    folders = {str(each) for path in [*workspaces, Path.home()] for each in (path, path.resolve())}
    paths = [re.escape(each) for each in folders if len(Path(each).parts) > 2]
    host = socket.gethostname()
    names = [rf"\b{re.escape(host)}\b"] if len(host) > 3 and host != "localhost" else []
    return re.compile("|".join([*paths, *names]) or r"(?!)")


def check(text: str, pattern: re.Pattern[str], where: str) -> None:
    """Raise `StoreError`, with what to do, where a text for `where` has what `refused` names."""
    if found := pattern.search(text) or pattern.search(html.unescape(text)):
        raise StoreError(
            f"Nothing was published: {where} would say '{found[0]}', which is of this machine. "
            "Take it out of the title, note or name that has it."
        )


def _calls(values: Iterable[Any]) -> Iterator[partial[Any]]:
    """Give the calls among the arguments of calls, and those themselves."""
    for value in values:
        match value:
            case partial():
                yield value
                yield from _calls([*value.args, *value.keywords.values()])
            case list() | tuple():
                yield from _calls(value)
            case dict():
                yield from _calls(value.values())


def _strings(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for each in value:
                yield from _strings(each)
        case dict():
            for each in value.values():
                yield from _strings(each)


def _texts_of(column: Any) -> list[str]:
    return (
        [] if column.dtype.kind in "iufbmM" else [each for each in column.dropna().unique().tolist() if isinstance(each, str)]
    )


def _pieces(texts: Iterable[str]) -> Iterator[str]:
    """Give what stands between tags and ellipses in some texts, where it is long enough to be somebody's words."""
    for text in set(texts):
        for piece in MARKUP.split(text):
            for part in html.unescape(piece).split("…"):
                letters = sum(1 + (each >= "\u2e80") for each in part if each.isalpha())
                if letters >= LETTERS:
                    yield part.strip()


def _data(ids: Iterable[str], workspaces: Sequence[Path]) -> Iterator[str]:
    """Give every text of the data of these ids."""
    for content in ids:
        for path in (path for workspace in workspaces for path in sorted(workspace.glob(f"*/{content}/*.parquet"))):
            try:
                table = pq.read_table(path)
            except (OSError, pa.ArrowException):
                continue  # damaged: nothing was computed of it since
            for column in table.itercolumns():
                while pa.types.is_list(column.type):
                    column = pa.chunked_array([chunk.flatten() for chunk in column.chunks], column.type.value_type)
                if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
                    yield from column.unique().drop_null().to_pylist()
