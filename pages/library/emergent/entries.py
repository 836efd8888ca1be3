"""List the kept emergent corpora: details, utterances, download, renaming and removal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backend.corpora.emergent import library as emergent_library
from pages.library.emergent import report as emergent_report
from pages.library.shared.kept_list import Shelf, in_memory, origin

if TYPE_CHECKING:
    from backend.corpora.emergent.corpus import EmergentCorpus
    from backend.corpora.emergent.library import EmergentEntry

EMPTY = "Drop emergent-language corpora above: JSON Lines, CSV, or integers or words, an utterance a line."


def facts(entry: EmergentEntry) -> str:
    """Write what stands beside the name: tokens, utterances and symbols."""
    return emergent_report.facts(entry.tokens, entry.utterances, entry.vocabulary_size)


def more(entry: EmergentEntry) -> list[str]:
    """Give the format, and where the corpus is from."""
    return [entry.format, *origin(entry.source)]


def show(entry: EmergentEntry, corpus: EmergentCorpus, key: str) -> None:
    """Draw the rows left out, and the utterances."""
    emergent_report.left_out(corpus.report, key=key)
    emergent_report.contents(corpus, key=key, label=f"Utterances of {entry.name}")


SHELF = Shelf(
    emergent_library.SHELF,
    facts,
    more,
    in_memory(emergent_library.load),
    show,
    file=emergent_report.jsonl,
    empty=EMPTY,
    form="JSON Lines",
)
