"""Show sentences in any script side by side, each cell in its own direction and the glyphs of its language; write tables.

Streamlit's own tables know neither a cell's direction nor its language (Chinese and Japanese share code points but not
shapes), so this is HTML; every text in it is escaped.
"""

from __future__ import annotations

import csv
import io
from html import escape
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from isogloss.backend.corpora.languages.languages import Language

Cell = str | tuple[str, str] | None
"""A sentence, a pair of them one above the other, or nothing."""
LINE = "1px solid color-mix(in srgb, currentColor 18%, transparent)"
CELL = f"padding:.35rem .6rem;border-bottom:{LINE};vertical-align:top;min-width:14rem;text-align:start;unicode-bidi:plaintext"
HEAD = f"padding:.35rem .6rem;border-bottom:{LINE};text-align:start;font-weight:600;white-space:nowrap"
SECOND = "margin-top:.35rem;unicode-bidi:plaintext;opacity:.75"
NUMBER = f"{CELL};min-width:0;opacity:.6;font-variant-numeric:tabular-nums;white-space:nowrap"


def table(ids: Sequence[str], columns: Sequence[tuple[Language, Sequence[Cell]]], *, label: str, numbers: str = "id") -> None:
    """Draw a row a sentence and a column a language; a sentence that a language lacks is a dash.

    `label` names the table, `numbers` the column of ids.
    """
    st.html(html(ids, columns, label=label, numbers=numbers))


def html(ids: Sequence[str], columns: Sequence[tuple[Language, Sequence[Cell]]], *, label: str, numbers: str = "id") -> str:
    """Render the table as HTML."""
    head = "".join(_head(each) for each, _ in columns)
    rows = "".join(
        f'<tr><td style="{NUMBER}">{escape(sentence)}</td>{"".join(_cell(each, texts[row]) for each, texts in columns)}</tr>'
        for row, sentence in enumerate(ids)
    )
    return (
        f'<div style="overflow-x:auto" role="region" tabindex="0" aria-label="{escape(label)}">'
        f'<table style="border-collapse:collapse;width:100%;font-size:.9rem" aria-label="{escape(label)}">'
        f'<thead><tr><th scope="col" style="{HEAD}">{escape(numbers)}</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def tsv(rows: Iterable[Sequence[object]]) -> bytes:
    """Write rows as TSV, a cell quoted where its text needs it."""
    out = io.StringIO(newline="")
    csv.writer(out, delimiter="\t", lineterminator="\n").writerows(rows)
    return out.getvalue().encode("utf-8")


def _head(spoken: Language) -> str:
    side = "right" if spoken.right_to_left else "left"
    return f'<th scope="col" style="{HEAD};text-align:{side}">{escape(spoken.name)} · {escape(spoken.tag)}</th>'


def _cell(spoken: Language, cell: Cell) -> str:
    if cell is None:
        return f'<td style="{CELL};opacity:.5">–</td>'
    text, second = cell if isinstance(cell, tuple) else (cell, None)
    below = "" if second is None else f'<div style="{SECOND}">{escape(second)}</div>'
    return f'<td lang="{escape(spoken.tag)}" dir="{spoken.direction}" style="{CELL}">{escape(text)}{below}</td>'
