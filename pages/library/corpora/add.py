"""Add a corpus: dropped files or a data set of the Hub, shown before they are kept, or Wikipedia text that a worker fetches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from backend.corpora.languages.languages import families
from backend.corpora.languages.languages import name_of as language_name
from backend.corpora.parallel import library, readers
from backend.corpora.shared import apart
from backend.experiments.words import count
from backend.settings import settings
from pages.library.corpora import hub as hub_corpus
from pages.library.corpora import report as corpus_report
from pages.library.corpora import wikipedia as wikipedia_text
from pages.library.shared import found
from pages.library.shared.upload import Dropped, read_dropped
from pages.widgets.workspace import attempt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backend.corpora.parallel.corpus import ParallelCorpus


def draw() -> None:
    """Draw the ways to add a corpus, or the corpus that one of them read."""
    if waiting := found.waiting("corpus"):
        review(*waiting)
        return
    ways = {"Files": files, "Hugging Face Hub": from_hub, "Wikipedia": wikipedia_text.draw}
    way = st.segmented_control("Add from", list(ways), default="Files", required=True, key="corpus-from", bind="query-params")
    ways[way or "Files"]()


def files() -> None:
    """Draw the uploader; dropped files are read at once."""
    dropped = st.file_uploader("All files of one corpus", accept_multiple_files=True, key=f"drop-{found.drop('corpus')}")
    with st.popover("Which files can be read?", type="tertiary", icon=":material/help:"):
        st.markdown(FORMATS)
    if dropped:
        read(dropped, found.suggestion(*(file.name for file in dropped)))


FORMATS = """
| Format | Files |
|---|---|
| NTREX-128 | `newstest2019-ref.deu.txt` … as published |
| FLORES-200, FLORES+ | `dev/eng_Latn.dev` … or its Parquet |
| Tatoeba (XTREME, LASER) | `tatoeba.deu-eng.deu` with `tatoeba.deu-eng.eng` |
| Moses pairs | `corpus.de-en.de` with `corpus.de-en.en` |
| TMX | `*.tmx` |
| WMT test sets | `newstest2019-deen-src.de.sgm`, `newstest2019-deen-ref.en.sgm` |
| WMT training text | `news-commentary-v14.de-en.tsv`, two columns without a header |
| CSV, TSV, JSON Lines, Parquet | a column per language, or id, language, text |
| Plain text | a file per language: `news.de`, `news.fi` |

Also inside `.zip`, `.tar.gz` and `.gz`. Text is UTF-8; line *i* is the same sentence in every file.
"""


def read(dropped: Sequence[Dropped], suggested: str) -> None:
    """Read the dropped files and show what they are; say why where they cannot be read."""
    corpus = read_dropped(dropped, count(len(dropped), "file"), lambda files: apart.read(readers.read, files))
    if corpus is not None:
        found.hold("corpus", corpus, found.free(suggested or corpus.report.format, library.SHELF))


def from_hub() -> None:
    """Draw the form for a data set of the Hub, and load what was asked for."""
    asked = hub_corpus.form(sorted(families()), language_name)
    if asked is None:
        return
    with st.spinner(f"Loading {asked.dataset} …"):
        corpus = attempt(lambda: hub_corpus.load(asked))
    if corpus is None:
        return
    found.hold("corpus", corpus, found.free(asked.name, library.SHELF))


def review(corpus: ParallelCorpus, suggested: str) -> None:
    """Show the corpus that was read, to be named and kept or dropped."""
    corpus_report.show_recognised(corpus, key="found-corpus")
    found.name_and_keep(
        "corpus",
        suggested,
        lambda name: library.keep(corpus, name, settings().workspace),
        same="sentences",
        losses=corpus.report.losses,
    )
    corpus_report.contents(corpus, key="found-corpus", label="Sentences of the corpus")
