"""Add emergent-language corpora: dropped files are read and reviewed before anything is kept."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from isogloss.backend.corpora.emergent import data_set, library
from isogloss.backend.corpora.emergent import readers as emergent_readers
from isogloss.backend.corpora.emergent.layouts import KINDS, Kind
from isogloss.backend.corpora.emergent.readers import Options
from isogloss.backend.corpora.emergent.rows import NEGATIVE
from isogloss.backend.corpora.shared import apart
from isogloss.backend.corpora.shared.inputs import printable
from isogloss.backend.errors import IsoglossError
from isogloss.backend.experiments.words import count
from isogloss.backend.settings import settings
from isogloss.pages.library.emergent import meaning
from isogloss.pages.library.shared import adding, held, several
from isogloss.pages.library.shared.upload import Dropped, spool
from isogloss.pages.widgets.words import verbatim

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from isogloss.backend.corpora.emergent.corpus import EmergentCorpus, Symbols
    from isogloss.backend.corpora.shared.inputs import InputFile
    from isogloss.pages.library.shared.shelf import Shelf

NAME = library.KIND.name
FIELDS = "emergent-fields"
"""Session state: the fields that the files read last could be read by."""
AGAIN = "emergent-again"
"""Session state: dropped files that wait for a field or column to be chosen, while what was dropped with them is reviewed."""
WAITING = 5
"""Names of waiting files that are shown."""
FORMS: dict[str, Kind | None] = {"Found out": None, **{name: kind for kind, name in KINDS.items()}}
SYMBOLS: dict[str, Symbols | None] = {"Found out": None, "Integers": "integers", "Words": "words", "Characters": "characters"}


def ask(shelf: Shelf[Any, EmergentCorpus, Any]) -> None:
    """Draw the uploader for emergent languages, and how they are to be read."""
    number = held.drop(NAME)
    waiting = bool(st.session_state.get(AGAIN))
    dropped = adding.upload(library.KIND, "Emergent-language corpora", others_wait=waiting)
    files = [*_left_over(), *dropped]
    if not files:
        st.session_state.pop(FIELDS, None)
        return
    row, below = st.container(horizontal=True, vertical_alignment="bottom"), st.container()
    with row:
        form = st.selectbox("Format", list(FORMS), key=f"emergent-format-{number}", width=200)
        symbols = st.selectbox("Symbols in text", list(SYMBOLS), key=f"emergent-symbols-{number}", width=150)
        field_slot = st.container(width=240)
        told = meaning.choose_file(files, key=f"emergent-meanings-{number}")
        together = len(files) > 1 and st.toggle("All files are one corpus", key=f"emergent-together-{number}")
        asked = held.read_button(NAME)
    field_key = f"emergent-field-{number}"
    if asked:
        with below, held.answering(NAME):
            options = Options(FORMS[form], st.session_state.get(field_key), SYMBOLS[symbols])
            read(shelf, files, options, together=together, told=told)
    field_slot.selectbox(  # drawn last: a file that was just read may have said what there is to choose from
        "Field or column of utterances",
        st.session_state.get(FIELDS, []),
        index=None,
        accept_new_options=True,
        placeholder="Found out; or type its name",
        key=field_key,
    )


def waits() -> bool:
    """Return whether dropped files are still to be read or reviewed."""
    return bool(held.waiting(NAME) or st.session_state.get(AGAIN))


def _left_over() -> list[Dropped]:
    """List the files that wait for their field to be chosen, with a button that drops them."""
    files: list[Dropped] = st.session_state.get(AGAIN, [])
    if not files:
        return []
    with st.container(horizontal=True, vertical_alignment="center"):
        names = ", ".join(printable(file.name) for file in files[:WAITING])
        more = f" and {len(files) - WAITING:,} more" if len(files) > WAITING else ""
        st.markdown(f":material/pending: Choose a field or column to read: {verbatim(names + more)}")
        if st.button("Leave out", key="leave-out-emergent"):
            st.session_state.pop(AGAIN)
            st.rerun()
    return files


def read(
    shelf: Shelf[Any, EmergentCorpus, Any],
    dropped: Sequence[Dropped],
    options: Options,
    *,
    together: bool,
    told: Dropped | None = None,
) -> None:
    """Read the dropped files, each as a corpus or all as one, and show what they are; say why where they cannot be read.

    `told` is the one of them that says what the utterances of the others mean.
    """
    corpora: list[several.Read] = []
    problems: list[str] = []
    undecided: list[Dropped] = []
    text = f"Reading {count(len(dropped), 'file')} …"
    bar = st.progress(0.0, text=text)
    try:
        with spool(dropped, settings().workspace) as spooled:
            came = {file.path: each for file, each in zip(spooled, dropped, strict=True)}
            meant = next((file for file in spooled if told is not None and came[file.path] is told), None)
            groups = _groups([file for file in spooled if file is not meant], together=together)
            meaning.check_one(groups, meant)
            for number, (files, states) in enumerate(groups):

                def advance(share: float, number: int = number) -> None:
                    bar.progress((number + share) / len(groups), text)

                undecided_files = [came[file.path] for file in (*files, *states)]
                try:
                    corpus = apart.read(emergent_readers.read, files, options, progress=advance, meanings=meant)
                    negative = any(reason == NEGATIVE for reason, _ in corpus.report.reasons)
                    again = partial(_again, undecided_files, told)
                    renumber = partial(again, replace(options, renumber=True)) if negative else None
                    offer = partial(meaning.offer, again, options) if meant is None else None
                    corpora.append(several.Read(corpus, [file.name for file in files], renumber, offer))
                except IsoglossError as error:
                    problems.append(str(error))
                    if _offer_fields(files, options.kind):
                        undecided += undecided_files
    except IsoglossError as error:
        problems.append(str(error))
    bar.empty()
    if corpora:
        st.session_state[AGAIN] = undecided
        several.hold(shelf, corpora, problems)
    several.tell(problems)


def _groups(files: Sequence[InputFile], *, together: bool) -> list[tuple[list[InputFile], list[InputFile]]]:
    """Return the files of each corpus in their order, and what says that order. Raises `CorpusError` as `data_set.groups`."""
    found = apart.read(data_set.groups, files)
    each = [(group.files, [group.state] if group.state else []) for group in found]
    return [([file for ours, _ in each for file in ours], [state for _, ours in each for state in ours])] if together else each


def _again(dropped: Sequence[Dropped], told: Dropped | None, options: Options) -> EmergentCorpus:
    """Read the files of one corpus again. Raises as the first reading, and `StoreError`."""
    with spool([*dropped, *([told] if told else [])], settings().workspace) as files:
        ((group, _),) = _groups(files[: len(dropped)], together=True)
        return apart.read(emergent_readers.read, group, options, meanings=files[-1] if told else None)


def _offer_fields(files: Sequence[InputFile], kind: Kind | None) -> bool:
    """Remember the fields that these files have, to choose from. Returns whether they have any."""
    known: list[str] = st.session_state.setdefault(FIELDS, [])
    has = False
    for file in files:
        try:
            fields = apart.read(emergent_readers.look, file, Options(kind)).fields[:200]
        except IsoglossError:
            continue  # it was said why
        known += [name for name in fields if name not in known]
        has = has or bool(fields)
    return has
