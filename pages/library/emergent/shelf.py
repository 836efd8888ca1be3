"""The shelf of emergent languages."""

from __future__ import annotations

from isogloss.backend.corpora.emergent import library
from isogloss.backend.corpora.emergent.corpus import EmergentCorpus
from isogloss.pages.library.emergent import add
from isogloss.pages.library.emergent import report as emergent_report
from isogloss.pages.library.shared import measure
from isogloss.pages.library.shared.shelf import Shelf

SHELF: Shelf[library.EmergentEntry, EmergentCorpus, EmergentCorpus] = Shelf(
    library.KIND,
    title="Emergent",
    heading="Add emergent languages",
    ask=lambda: add.ask(SHELF),
    empty="Drop emergent-language corpora above: JSON Lines, CSV, or integers or words, an utterance a line.",
    facts=emergent_report.facts,
    source=lambda entry: entry.source,
    left_out=lambda corpus, key: emergent_report.left_out(corpus.report, key=key),
    contains="Utterances",
    show=emergent_report.contents,
    file=emergent_report.jsonl,
    form="JSON Lines",
    links=lambda _entry, name: measure.links("emergent corpus", name),
    waits=add.waits,
)
