"""Show a word alignment: its languages and size, and the linked words of every sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.corpora.languages.languages import language, name_of
from isogloss.backend.experiments.words import count
from isogloss.pages.library.shared import paging, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.corpora.word_alignments.library import AlignmentEntry
    from isogloss.backend.corpora.word_alignments.links import Links


def facts(entry: AlignmentEntry) -> str:
    """`English → German · 412 links, 380 of them sure · gold`."""
    some = f", {entry.sure:,} of them sure" if entry.sure < entry.links else ""
    languages = f"{name_of(entry.source)} → {name_of(entry.target)}"
    return " · ".join([languages, f"{count(entry.links, 'link')}{some}", *(["gold"] if entry.gold else [])])


def show_links(content: tuple[Links, ParallelCorpus], key: str, label: str) -> None:
    """Show the linked words, a link a row, page by page."""
    links, corpus = content
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
    rows = [
        [sentence, own, other, *list(row.values())[1:]]
        for (sentence, own, other, _), row in zip(words(links, corpus), links.table.to_pylist(), strict=True)
    ]
    return texts.tsv([["sentence_id", links.source, links.target, *links.table.column_names[1:]], *rows])


def _window(links: Links, rows: slice) -> Links:
    table = links.table.slice(rows.start, rows.stop - rows.start)
    return type(links)(links.corpus, links.source, links.target, table, links.source_words, links.target_words)
