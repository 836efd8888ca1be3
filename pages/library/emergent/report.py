"""Report an emergent corpus: what its reader recognised and left out, its size, and its utterances page by page."""

from __future__ import annotations

import json
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from isogloss.backend.corpora.emergent.corpus import visible
from isogloss.backend.corpora.emergent.library import meanings_of
from isogloss.backend.experiments.words import count
from isogloss.pages.library.shared import left_out as left_out_rows
from isogloss.pages.library.shared import paging
from isogloss.pages.library.shared.texts import CELL, HEAD, NUMBER
from isogloss.pages.widgets.words import verbatim

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from isogloss.backend.corpora.emergent.corpus import EmergentCorpus, EmergentReport
    from isogloss.backend.corpora.emergent.library import EmergentEntry
    from isogloss.backend.corpora.emergent.meanings import Meanings

SYMBOLS_SHOWN = 200
"""Of one utterance."""
EXAMPLES = 12
BATCH = 10_000


def facts(corpus: EmergentEntry) -> str:
    """`405,010 tokens · 40,501 utterances · 22 symbols · meanings of 2 attributes (color, shape)`."""
    sizes = [count(corpus.tokens, "token"), count(corpus.utterances, "utterance"), count(corpus.vocabulary_size, "symbol")]
    return " · ".join([*sizes, *([meanings_of(corpus)] if corpus.attributes else [])])


def left_out(report: EmergentReport, *, key: str) -> None:
    """List the broken rows, and count each kind."""
    left_out_rows.list_rows(report, key=key)
    if report.blank:
        st.caption(f"{count(report.blank, 'blank line')} skipped.")
    if report.reasons:
        st.caption(verbatim(f"Left out · {' · '.join(f'{reason}: {number:,}' for reason, number in report.reasons)}"))


def contents(corpus: EmergentCorpus, key: str, label: str) -> None:
    """Show lengths and symbols in a line, and the utterances page by page."""
    lengths = np.diff(corpus.starts)
    least, most = int(lengths.min()), int(lengths.max())
    spread = f"{least:,} to {most:,} tokens per utterance, {lengths.mean():,.1f} on average"
    if least == most:
        spread = f"{count(least, 'token')} in every utterance"
    st.caption(verbatim(f"{spread} · {symbols(corpus)}"))
    slot, window = paging.window(corpus.utterances, "utterance", key=f"{key}-rows")
    with slot:
        st.html(html(corpus, range(window.start, window.stop), label=label))


def symbols(corpus: EmergentCorpus) -> str:
    """`integers 0 to 5`, `22 of the integers 0 to 26`, or the first words of the vocabulary."""
    if corpus.vocabulary is None:
        return f"integers {int(corpus.ids.min()):,} to {int(corpus.ids.max()):,}"
    if corpus.report.symbols == "integers":
        least, most = (int(corpus.vocabulary[place]) for place in (0, -1))
        return f"{corpus.vocabulary_size:,} of the integers {least:,} to {most:,}"
    first = [repr(each) if each.isspace() else visible(each[:24]) for each in corpus.vocabulary[:EXAMPLES]]
    return f"{corpus.report.symbols} {', '.join(first)}{' …' if len(corpus.vocabulary) > EXAMPLES else ''}"


def html(corpus: EmergentCorpus, places: Sequence[int], *, label: str) -> str:
    """Render the utterances at `places` as a table; symbols are escaped and long utterances cut."""
    columns = ("utterance", "tokens", "symbols", *(("meaning",) if corpus.meanings else ()))
    head = "".join(f'<th scope="col" style="{HEAD}">{each}</th>' for each in columns)
    rows = "".join(_row(corpus, place) for place in places)
    return (
        f'<div style="overflow-x:auto" role="region" tabindex="0" aria-label="{escape(label)}">'
        f'<table style="border-collapse:collapse;width:100%;font-size:.9rem" aria-label="{escape(label)}">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(corpus: EmergentCorpus, place: int) -> str:
    start, end = int(corpus.starts[place]), int(corpus.starts[place + 1])
    shown = [
        visible(corpus.symbol(each)[:SYMBOLS_SHOWN]) for each in corpus.ids[start : min(end, start + SYMBOLS_SHOWN)].tolist()
    ]
    text = ("" if corpus.report.symbols == "characters" else " ").join(shown)
    more = f' <span style="opacity:.6">… {end - start - SYMBOLS_SHOWN:,} more</span>' if end - start > SYMBOLS_SHOWN else ""
    return (
        f'<tr><td style="{NUMBER}">{place + 1:,}</td><td style="{NUMBER}">{end - start:,}</td>'
        f'<td style="{CELL};width:100%;font-variant-numeric:tabular-nums;overflow-wrap:anywhere">{escape(text)}{more}</td>'
        f"{_meaning(corpus, place)}</tr>"
    )


def _meaning(corpus: EmergentCorpus, place: int) -> str:
    """Render the cell of what an utterance means, its values cut as symbols are; nothing where that is not known."""
    if corpus.meanings is None:
        return ""
    text = ", ".join(visible(value[:SYMBOLS_SHOWN]) for value in corpus.meanings.row(place)[:EXAMPLES])
    more = len(corpus.meanings.names) - EXAMPLES
    return f'<td style="{CELL}">{escape(text)}{f" … {more:,} more" if more > 0 else ""}</td>'


def jsonl(corpus: EmergentCorpus) -> bytes:
    """Write the corpus in XferBench's format, which Isogloss reads back: an array of the source's symbols on each line.

    Of a corpus with meanings, each line is an object with that array and its meaning.
    """
    integers = corpus.report.symbols == "integers"
    known = corpus.vocabulary and ([int(each) for each in corpus.vocabulary] if integers else list(corpus.vocabulary))
    parts = []
    for first in range(0, corpus.utterances, BATCH):
        starts = corpus.starts[first : first + BATCH + 1].tolist()
        ids = corpus.ids[starts[0] : starts[-1]].tolist()
        flat = ids if known is None else [known[each] for each in ids]
        rows = (flat[a - starts[0] : b - starts[0]] for a, b in pairwise(starts))
        written = rows if corpus.meanings is None else _with_meanings(corpus.meanings, rows, first)
        parts.append("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in written).encode("utf-8"))
    return b"".join(parts)


def _with_meanings(meanings: Meanings, rows: Iterable[list[Any]], first: int) -> Iterator[dict[str, list[Any]]]:
    """Pair the utterances from `first` on with what they mean: `{"message": [3, 1], "meaning": ["red", "round"]}`."""
    for place, row in enumerate(rows, start=first):
        yield {"message": row, "meaning": list(meanings.row(place))}
