"""Add tagged text: dropped files, shown before they are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from backend.corpora.shared import apart
from backend.corpora.tagged import library as tagged_library
from backend.corpora.tagged import readers as tagged_readers
from backend.experiments.words import count
from backend.settings import settings
from pages.library.shared import found
from pages.library.shared.upload import Dropped, read_dropped
from pages.library.tagged import report as tagged_report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backend.corpora.tagged.corpus import TaggedCorpus

FORMATS = """
| Format | Files |
|---|---|
| CoNLL-U (Universal Dependencies) | `en_pud-ud-test.conllu` …: words and their UPOS |
| XTREME (UD-POS, PAN-X) | `train-en.tsv`, `dev-en.tsv` …: a word, a tab and its tag on each line, then a blank line |
| WikiAnn | the same with `en:` before each word: `en/train` … |

Also inside `.zip`, `.tar.gz` and `.gz`. Text is UTF-8. Names say the language and the part: `train`, `dev` or `test`;
a part that is not there is split from another.
"""


def draw() -> None:
    """Draw the uploader, or the tagged text that was read."""
    if waiting := found.waiting("tagged corpus"):
        review(*waiting)
        return
    number = found.drop("tagged corpus")
    dropped = st.file_uploader("All files of one tagged corpus", accept_multiple_files=True, key=f"drop-tagged-{number}")
    with st.popover("Which files can be read?", type="tertiary", icon=":material/help:"):
        st.markdown(FORMATS)
    if not dropped:
        found.not_asked("tagged corpus")
        return
    if found.read_button("tagged corpus"):
        with found.answering("tagged corpus"):
            read(dropped)


def read(dropped: Sequence[Dropped]) -> None:
    """Read the dropped files and show what they are; say why where they cannot be read."""
    corpus = read_dropped(dropped, count(len(dropped), "file"), lambda files: apart.read(tagged_readers.read, files))
    if corpus is not None:
        suggested = found.suggestion(*(file.name for file in dropped))
        kind = {"pos": "POS", "ner": "Entities", "other": "Tags"}[corpus.kind]
        suggested = suggested or f"{kind} of {count(len(corpus.languages), 'language')}"
        found.hold("tagged corpus", corpus, found.free(suggested, tagged_library.SHELF))


def review(corpus: TaggedCorpus, suggested: str) -> None:
    """Show the corpus that was read, to be named and kept or dropped."""
    tagged_report.recognised(corpus, key="found-tagged")
    found.name_and_keep(
        "tagged corpus",
        suggested,
        lambda name: tagged_library.keep(corpus, name, settings().workspace),
        same="sentences",
        losses=corpus.report.losses,
    )
    tagged_report.contents(corpus, key="found-tagged", label="Sentences and their tags")
