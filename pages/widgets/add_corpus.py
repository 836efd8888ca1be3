"""Adding a corpus: dropped files or a data set of the Hub; what was recognised is shown before it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from backend.corpora import detect, library
from backend.corpora.languages import families
from backend.errors import IsoglossError
from backend.settings import settings
from pages.widgets import corpus_report, hub_corpus
from pages.widgets.job_words import name as language_name
from pages.widgets.upload import Dropped, spooled
from pages.widgets.words import count, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backend.corpora.parallel import ParallelCorpus

FOUND = "corpus-found"
"""Session state: the corpus that was read and is not kept yet, with the name to suggest."""
DROPS = "corpus-drops"
"""Session state: how many corpora were finished with; a new number makes the uploader a new, empty one."""


def draw() -> None:
    """The ways to add a corpus, or what was read by one of them."""
    if FOUND in st.session_state:
        review(*st.session_state[FOUND])
        return
    ways = {"Files": files, "Hugging Face Hub": from_hub}
    way = st.segmented_control("Add from", list(ways), default="Files", required=True, key="corpus-from", bind="query-params")
    ways[way or "Files"]()


def files() -> None:
    """Drop files; they are read at once."""
    drop = st.session_state.setdefault(DROPS, 0)
    dropped = st.file_uploader("All files of one corpus", accept_multiple_files=True, key=f"drop-{drop}")
    with st.popover("Which files can be read?", type="tertiary", icon=":material/help:"):
        st.markdown(FORMATS)
    if dropped:
        read(dropped, suggestion(dropped[0].name if len(dropped) == 1 else ""))


FORMATS = """
| Format | Files |
|---|---|
| NTREX-128 | `newstest2019-ref.deu.txt` … as published |
| FLORES-200, FLORES+ | `dev/eng_Latn.dev` … or its Parquet |
| Tatoeba (XTREME, LASER) | `tatoeba.deu-eng.deu` with `tatoeba.deu-eng.eng` |
| Moses pairs | `corpus.de-en.de` with `corpus.de-en.en` |
| TMX | `*.tmx` |
| CSV, TSV, JSON Lines, Parquet | a column per language, or id, language, text |
| Plain text | a file per language: `news.de`, `news.fi` |

Also inside `.zip`, `.tar.gz` and `.gz`. Text is UTF-8; line *i* is the same sentence in every file.
"""


def read(dropped: Sequence[Dropped], suggested: str) -> None:
    """Read the dropped files and show what they are; where they cannot be read, say why."""
    try:
        with st.spinner(f"Reading {count(len(dropped), 'file')} …"), spooled(dropped, settings().workspace) as spool:
            corpus = detect.read(spool)
    except IsoglossError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    found(corpus, suggested or corpus.report.format)


def found(corpus: ParallelCorpus, suggested: str) -> None:
    st.session_state[FOUND] = (corpus, suggested)
    st.session_state[DROPS] = st.session_state.get(DROPS, 0) + 1
    st.rerun()


def suggestion(file: str) -> str:
    """A first name for a corpus in one file: the file's, without its ending."""
    base = file.replace("\\", "/").rsplit("/", 1)[-1].split(".", 1)[0]
    return "".join(c for c in base if c.isprintable())[: library.MAX_NAME].strip()


def from_hub() -> None:
    """A data set of the Hub, at a revision, in the languages chosen."""
    asked = hub_corpus.form(sorted(families()), language_name)
    if asked is None:
        return
    try:
        with st.spinner(f"Loading {asked.dataset} …"):
            corpus = hub_corpus.load(asked)
    except IsoglossError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    found(corpus, asked.name)


def review(corpus: ParallelCorpus, suggested: str) -> None:
    """What was read; name it and keep it, or let it go."""
    corpus_report.recognised(corpus, key="found-corpus")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name", value=suggested, max_chars=library.MAX_NAME, key="found-corpus-name")
        keeping = st.button("Keep", icon=":material/save:", type="primary", key="keep-corpus", disabled=not name.strip())
        if st.button("Discard", key="discard-corpus"):
            del st.session_state[FOUND]
            st.rerun()
    if keeping:
        keep(corpus, name)
    corpus_report.contents(corpus, key="found-corpus", label="Sentences of the corpus")


def keep(corpus: ParallelCorpus, name: str) -> None:
    """Keep the corpus; a name that is taken is said so and what was read stays."""
    try:
        entry = library.keep(corpus, name, settings().workspace)
    except IsoglossError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    del st.session_state[FOUND]
    if entry.name == " ".join(name.split()):
        st.toast(f"{plain(entry.name)} is kept.", icon=":material/check:")
    else:
        st.toast(f"The same sentences are kept already, as {plain(entry.name)}.", icon=":material/info:")
    st.rerun()
