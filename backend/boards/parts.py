"""A board as the parts of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from isogloss.backend.boards import versions
from isogloss.backend.boards.again import again
from isogloss.backend.boards.provenance import Provenance
from isogloss.backend.boards.report import Entry
from isogloss.backend.boards.titles import title_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from isogloss.backend.boards.again import Again
    from isogloss.backend.boards.records import Opened, Pin
    from isogloss.backend.boards.versions import Version


def parts_of(
    workspaces: Sequence[Path], on: Opened, server: str = "", *, signed: bool = True, version: Version | None = None
) -> list[Entry]:
    """Return each pin of a board as a part, drawn from the scores as they are now, its notes and what changed with it.

    Of a `version`, whose board `on` is then, as it was.

    `server` is the address that links begin with (`http://127.0.0.1:8501`). `signed`: notes say who wrote them.
    Raises `StoreError` where a pin's rows are lost.
    """

    def shown(pin: Pin) -> Again:
        now = again(workspaces, on.board.id, pin)
        return now if version is None else versions.then(workspaces, version, pin, now)

    return [_part(on, pin, shown, server, signed) for pin in on.pins]


def _part(on: Opened, pin: Pin, drawn: Callable[[Pin], Again], server: str, signed: bool) -> Entry:
    note = "\n\n".join(f"{note.text}\n\n— {note.by}" if note.by and signed else note.text for note in on.notes.get(pin.id, ()))
    if pin.is_text:
        return Entry("", pd.DataFrame(), None, None, Provenance(), "\n\n".join(each.text for each in on.notes.get(pin.id, ())))
    now = drawn(pin)
    return Entry(
        title=title_of(pin, now.rests_on),
        rows=now.rows,
        figure=now.picture,
        recipe=now.recipe,
        rests_on=now.rests_on,
        note=note,
        card=pin.card.text,
        bibtex=pin.card.bibtex,
        link=f"{server.rstrip('/')}{pin.link}",
        said=now.said,
    )
