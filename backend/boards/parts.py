"""A board as the parts of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from isogloss.backend.boards.again import again
from isogloss.backend.boards.provenance import Provenance
from isogloss.backend.boards.report import Entry
from isogloss.backend.boards.titles import title_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from isogloss.backend.boards.records import Opened, Pin


def parts_of(workspaces: Sequence[Path], on: Opened, server: str = "", *, signed: bool = True) -> list[Entry]:
    """Return each pin of a board as a part, drawn from the scores as they are now, its notes and what changed with it.

    `server` is the address that links begin with (`http://127.0.0.1:8501`). `signed`: notes say who wrote them.
    Raises `StoreError` where a pin's rows are lost.
    """
    return [_part(workspaces, on, pin, server, signed) for pin in on.pins]


def _part(workspaces: Sequence[Path], on: Opened, pin: Pin, server: str, signed: bool) -> Entry:
    note = "\n\n".join(f"{note.text}\n\n— {note.by}" if note.by and signed else note.text for note in on.notes.get(pin.id, ()))
    if pin.is_text:
        return Entry("", pd.DataFrame(), None, None, Provenance(), "\n\n".join(each.text for each in on.notes.get(pin.id, ())))
    now = again(workspaces, on.board.id, pin)
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
