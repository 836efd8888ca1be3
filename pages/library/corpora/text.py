"""Show sentences of a corpus side by side, and write all of them to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import streamlit as st

from isogloss.backend.corpora.languages.languages import language, name_of
from isogloss.pages.library.shared import paging, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus

SIDE_BY_SIDE = 3
"""Languages shown until others are chosen: what fits on a projector."""


def preview(corpus: ParallelCorpus, *, key: str, label: str) -> None:
    """Show the chosen languages side by side, page by page."""
    chosen = side_by_side(corpus.languages, key=key)
    if not chosen:
        return
    ids = sentence_ids(corpus, chosen)
    slot, rows = paging.window(len(ids), "sentence", key=key)
    window = ids[rows]
    with slot:
        texts.table(window.to_pylist(), [(language(tag), column(corpus, tag, window)) for tag in chosen], label=label)


def side_by_side(tags: Sequence[str], *, key: str) -> list[str]:
    """Choose the languages shown, English first where the corpus has it; a caption asks for one where none is chosen."""
    first = ["en"] if "en" in tags else []
    default = (first + [tag for tag in tags if tag not in first])[:SIDE_BY_SIDE]
    chosen = st.multiselect(
        "Languages side by side",
        tags,
        default=default,
        format_func=lambda tag: f"{name_of(tag)} · {tag}",
        key=f"{key}-languages",
    )
    if not chosen:
        st.caption("Choose a language to see its sentences.")
    return chosen


def sentence_ids(corpus: ParallelCorpus, tags: list[str]) -> pa.Array:
    """Ids of all sentences that any of `tags` has, in the source's order wherever one of them has every sentence."""
    parts = [corpus.table.filter(pc.equal(corpus.table["language"], tag))["sentence_id"] for tag in tags]
    parts.sort(key=len, reverse=True)  # the fullest language knows the order best
    return pc.unique(pa.chunked_array([chunk for part in parts for chunk in part.chunks], pa.string()))


def column(corpus: ParallelCorpus, tag: str, ids: pa.Array) -> list[str | None]:
    """Sentences `ids` in one language, None where it lacks one."""
    here = pc.and_(pc.equal(corpus.table["language"], tag), pc.is_in(corpus.table["sentence_id"], ids))
    rows = corpus.table.filter(here)
    found = dict(zip(rows["sentence_id"].to_pylist(), rows["text"].to_pylist(), strict=True))
    return [found.get(each) for each in ids.to_pylist()]


def tsv(corpus: ParallelCorpus) -> bytes:
    """Write the corpus as TSV with a column per language, which Isogloss reads back; quoted where a text needs it."""
    tags = corpus.languages
    ids = sentence_ids(corpus, tags)
    documents = _documents(corpus)
    columns = [column(corpus, tag, ids) for tag in tags]
    rows = [["sentence_id", *(["document_id"] if documents else []), *tags]]
    for row, each in enumerate(ids.to_pylist()):
        document = [documents.get(each) or ""] if documents else []
        rows.append([each, *document, *(texts_of[row] or "" for texts_of in columns)])
    return texts.tsv(rows)


def _documents(corpus: ParallelCorpus) -> dict[str, str]:
    """Map sentence ids to document ids, where there are any."""
    rows = corpus.table.filter(pc.is_valid(corpus.table["document_id"]))
    return dict(zip(rows["sentence_id"].to_pylist(), rows["document_id"].to_pylist(), strict=True))
