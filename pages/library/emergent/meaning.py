"""Ask what the utterances of a dropped corpus mean: a file of its own among those dropped, or columns once it was read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from isogloss.backend.corpora.emergent.meanings import USUAL
from isogloss.backend.corpora.shared.inputs import printable
from isogloss.backend.errors import CorpusError
from isogloss.pages.widgets.workspace import attempt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from isogloss.backend.corpora.emergent.corpus import EmergentCorpus
    from isogloss.backend.corpora.emergent.layouts import Options
    from isogloss.backend.corpora.shared.inputs import InputFile
    from isogloss.pages.library.shared.upload import Dropped

MOST = 200
"""Columns to choose from."""


def choose_file(files: Sequence[Dropped], *, key: str) -> Dropped | None:
    """Ask which of several files says what the utterances of the others mean; None where none does."""
    if len(files) < 2:
        return None
    place = st.selectbox(
        "File of meanings",
        range(len(files)),
        index=None,
        format_func=lambda each: printable(files[each].name),
        placeholder="None",
        key=key,
        width=200,
        help="A meaning in each row: text, numbers, a list or an object, as many rows as there are utterances.",
    )
    return None if place is None else files[place]


def check_one(groups: Sequence[object], meant: InputFile | None) -> None:
    """Raise `CorpusError` where a file of meanings comes with no corpus, or with several."""
    if meant is not None and len(groups) != 1:
        remedy = "Turn on “All files are one corpus”, or drop them one by one." if groups else "Drop that corpus with it."
        raise CorpusError("A file of meanings is of one corpus.", remedy=remedy, file=printable(meant.name))


def offer(
    again: Callable[[Options], EmergentCorpus], options: Options, corpus: EmergentCorpus, key: str
) -> EmergentCorpus | None:
    """Ask for the columns that are the meaning, those with usual names proposed; return what is read with them, when asked."""
    unread: list[str] = [*corpus.report.unread[:MOST]]
    if corpus.meanings is not None or not unread:
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen: list[Any] = st.multiselect(
            "Columns of meaning",
            unread,
            default=[name for name in unread if USUAL.fullmatch(name.strip())],
            format_func=printable,
            key=f"{key}-meaning",
            placeholder="None",
            width=420,
            help="What the utterances mean: an attribute a column, or one column of lists or objects. With it, topographic "
            "similarity and disentanglement are measured.",
        )
        asked = st.button("Read with meanings", icon=":material/lightbulb:", key=f"{key}-read-meaning", disabled=not chosen)
    return attempt(lambda: again(replace(options, meaning=tuple(chosen)))) if asked else None
