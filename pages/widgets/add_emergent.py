"""Adding emergent-language corpora: dropped files, and what was recognised and left out of each before it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import streamlit as st

from backend.corpora import emergent_library, emergent_readers
from backend.corpora.emergent_layout import KINDS, Kind
from backend.corpora.emergent_readers import Options
from backend.corpora.kept import MAX_NAME
from backend.errors import IsoglossError
from backend.settings import settings
from pages.widgets import emergent_report, found, notes
from pages.widgets.upload import Dropped, spooled
from pages.widgets.words import count, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backend.corpora.emergent import EmergentCorpus, Symbols
    from backend.corpora.inputs import InputFile

KIND: Literal["emergent corpus"] = "emergent corpus"
FIELDS = "emergent-fields"
"""Session state: what the last files that were read could be read by."""
TOASTS = 3
FORMATS = """
| Format | Rows |
|---|---|
| JSON Lines | `[3, 1, 4]` (XferBench), `["wa", "tok"]`, `"wa tok"`, or objects with a field: `{"message": [3, 1]}` |
| Plain | `3 1 4` or `wa tok`: an utterance a line |
| CSV, TSV | a header, and a column of messages |

Also gzip of these; text is UTF-8. What a file is shows in its rows, not in its name. A row that cannot be read is left
out, shown and counted before anything is kept.
"""
FORMS: dict[str, Kind | None] = {"Found out": None, **{name: kind for kind, name in KINDS.items()}}
SYMBOLS: dict[str, Symbols | None] = {"Found out": None, "Integers": "integers", "Words": "words", "Characters": "characters"}


@dataclass(frozen=True)
class Found:
    """What was read from one drop."""

    corpora: list[tuple[EmergentCorpus, str]]
    """With the name to suggest."""
    problems: list[str]
    """A sentence on each file that could not be read."""


def draw() -> None:
    """The files of emergent languages, or what was read from them."""
    if waiting := found.waiting(KIND):
        review(waiting[0])
        return
    number = found.drop(KIND)
    dropped = st.file_uploader("Emergent-language corpora", accept_multiple_files=True, key=f"drop-emergent-{number}")
    with st.popover("Which files can be read?", type="tertiary", icon=":material/help:"):
        st.markdown(FORMATS)
    if not dropped:
        st.session_state.pop(FIELDS, None)
        return
    row, below = st.container(horizontal=True, vertical_alignment="bottom"), st.container()
    with row:
        form = st.selectbox("Format", list(FORMS), key=f"emergent-format-{number}", width=200)
        symbols = st.selectbox("Symbols in text", list(SYMBOLS), key=f"emergent-symbols-{number}", width=150)
        field_slot = st.container(width=240)
        together = len(dropped) > 1 and st.toggle("All files are one corpus", key=f"emergent-together-{number}")
        asked = st.button("Read", icon=":material/search:", type="primary", key="read-emergent")
    field_key = f"emergent-field-{number}"
    if asked:
        with below:
            read(dropped, Options(FORMS[form], st.session_state.get(field_key), SYMBOLS[symbols]), together=together)
    field_slot.selectbox(  # drawn last: a file that was just read may have said what there is to choose from
        "Field or column of utterances",
        st.session_state.get(FIELDS, []),
        index=None,
        accept_new_options=True,
        placeholder="Found out; or type its name",
        key=field_key,
    )


def read(dropped: Sequence[Dropped], options: Options, *, together: bool) -> None:
    """Read the dropped files, each as a corpus or all as one, and show what they are; where they cannot be read, say why."""
    corpora: list[tuple[EmergentCorpus, str]] = []
    problems: list[str] = []
    text = f"Reading {count(len(dropped), 'file')} …"
    bar = st.progress(0.0, text=text)
    try:
        with spooled(dropped, settings().workspace) as spool:
            groups = [spool] if together else [[file] for file in spool]
            for place, group in enumerate(groups):
                try:
                    corpus = emergent_readers.read(
                        group, options, lambda share, place=place: bar.progress((place + share) / len(groups), text)
                    )
                    corpora.append((corpus, found.suggestion(group[0].name) or corpus.report.format))
                except IsoglossError as error:
                    problems.append(str(error))
                    _offer_fields(group, options.kind)
    except IsoglossError as error:
        problems.append(str(error))
    bar.empty()
    if corpora:
        found.put(KIND, Found(corpora, problems), "")
    tell(problems)


def _offer_fields(files: Sequence[InputFile], kind: Kind | None) -> None:
    """Remember the fields that these files have, to choose from."""
    known: list[str] = st.session_state.setdefault(FIELDS, [])
    for file in files:
        try:
            known += [name for name in emergent_readers.look(file, Options(kind)).fields[:200] if name not in known]
        except IsoglossError:
            continue  # it was said why


def tell(problems: Sequence[str]) -> None:
    for problem in problems:
        st.error(plain(problem), icon=":material/error:")


def review(waiting: Found) -> None:
    """What was read: name each corpus and keep it, or let it go. Files that could not be read are named."""
    tell(waiting.problems)
    several = len(waiting.corpora) > 1
    broken = sum(corpus.report.skipped_count for corpus, _ in waiting.corpora)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        slot = st.container(width=420)
        label = f"Keep {len(waiting.corpora)} corpora" if several else "Keep"
        keeping = st.button(
            f"{label} without {count(broken, 'broken row')}" if broken else label,
            icon=":material/save:",
            type="primary",
            key="keep-emergent",
        )
        if st.button("Discard", key="discard-emergent"):
            found.let_go(KIND)
            st.rerun()
    names = []
    for place, (corpus, suggested) in enumerate(waiting.corpora):
        key = f"found-emergent-{found.drop(KIND)}-{place}"
        with st.container(border=several):
            with st.container() if several else slot:
                names.append(st.text_input("Name", value=suggested, max_chars=MAX_NAME, key=f"{key}-name"))
            emergent_report.recognised(corpus, key=key)
            shown = st.expander("Utterances", key=f"{key}-open", on_change="rerun") if several else st.container()
            with shown:
                if not several or shown.open:
                    emergent_report.contents(corpus, key=key, label=f"Utterances of {suggested}")
    if keeping:
        keep(waiting, names)


def keep(waiting: Found, names: Sequence[str]) -> None:
    """Keep every corpus under its name. One whose name is taken is said so, and goes on waiting."""
    left, problems, new = [], [], []
    for (corpus, _), name in zip(waiting.corpora, names, strict=True):
        try:
            entry = emergent_library.keep(corpus, name, settings().workspace)
        except IsoglossError as error:
            left.append((corpus, name))
            problems.append(str(error))
            continue
        if entry.name == " ".join(name.split()):
            new.append(entry.name)
        else:
            notes.after_rerun(f"The same utterances are kept already, as {plain(entry.name)}.", ":material/info:")
    if len(new) > TOASTS:
        notes.after_rerun(f"{count(len(new), 'corpus', 'corpora')} are kept.")
    else:
        for name in new:
            notes.after_rerun(f"{plain(name)} is kept.")
    if left:
        found.put(KIND, Found(left, problems), "")
    found.let_go(KIND)
    st.rerun()
