"""Report a word alignment: what its reader recognised, and the linked words of every sentence."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import streamlit as st

from backend.corpora.languages.languages import language, name_of
from backend.experiments.words import count
from pages.library.corpora import report as corpus_report
from pages.library.shared import paging, texts
from pages.widgets.words import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backend.corpora.parallel.corpus import ParallelCorpus
    from backend.corpora.word_alignments.links import Links


def show_recognised(links: Links, *, gold: bool) -> None:
    """Show in a line what the file is, and the warnings about it."""
    sure = sum(links.table["sure"].to_pylist())
    found = f"{links.format} · {facts(links.source, links.target, links.table.num_rows, sure, gold=gold)}"
    st.markdown(f"**Recognised: {plain(found)}**")
    corpus_report.odd(links.notes)


def facts(source: str, target: str, links: int, sure: int, *, gold: bool) -> str:
    """`English → German · 412 links, 380 of them sure · gold`."""
    some = f", {sure:,} of them sure" if sure < links else ""
    parts = [f"{name_of(source)} → {name_of(target)}", f"{count(links, 'link')}{some}", *(["gold"] if gold else [])]
    return " · ".join(parts)


def show_links(links: Links, corpus: ParallelCorpus, *, key: str, label: str) -> None:
    """Show the linked words, a link a row, page by page."""
    slot, rows = paging.window(links.table.num_rows, "link", key=key)
    found = list(words(_window(links, rows), corpus))
    ids = [sentence if sure else f"{sentence} · possible" for sentence, _, _, sure in found]
    columns = [
        (language(links.source), [own for _, own, _, _ in found]),
        (language(links.target), [other for _, _, other, _ in found]),
    ]
    with slot:
        texts.table(ids, columns, label=label, numbers="sentence")


def words(links: Links, corpus: ParallelCorpus) -> Iterator[tuple[str, str, str, bool]]:
    """(sentence id, source word, target word, sure) of every link."""
    ids, sides = corpus.align([links.source, links.target])
    place = {sentence: number for number, sentence in enumerate(ids)}
    for row in links.table.to_pylist():
        here = place[row["sentence_id"]]
        own = sides[links.source][here][row["source_start"] : row["source_end"]]
        other = sides[links.target][here][row["target_start"] : row["target_end"]]
        yield row["sentence_id"], own, other, row["sure"]


def tsv(links: Links, corpus: ParallelCorpus) -> bytes:
    """Write a row a link: the sentence, both words, where they stand in characters, and whether the link is sure."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter="\t", lineterminator="\n")
    writer.writerow(["sentence_id", links.source, links.target, *links.table.column_names[1:]])
    for (sentence, own, other, _), row in zip(words(links, corpus), links.table.to_pylist(), strict=True):
        writer.writerow([sentence, own, other, *list(row.values())[1:]])
    return out.getvalue().encode("utf-8")


def _window(links: Links, rows: slice) -> Links:
    table = links.table.slice(rows.start, rows.stop - rows.start)
    return type(links)(links.corpus, links.source, links.target, table, links.source_words, links.target_words)
