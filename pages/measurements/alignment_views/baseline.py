"""Static word vectors as a horizontal line: what a word is worth without its sentence."""

from __future__ import annotations

import plotly.graph_objects as go

from backend.charts.paper import add_reference
from backend.experiments import static_alignment
from backend.experiments.static_alignment import StaticAlignmentSpec
from backend.models import static_library
from backend.models.static_library import StaticSet
from backend.store import alignment_views
from pages.measurements.alignment_views.selection import Selection
from pages.widgets import compute
from pages.widgets.words import count, plain
from pages.widgets.workspace import guard, workspaces


def offer(selection: Selection) -> None:
    """For each kept set of static vectors that has the languages: the button that computes its line."""
    for each in _able(selection):
        spec = _spec(selection, each)
        missing = [pair for pair in spec.pairs if static_alignment.covering(spec, pair, selection.have) is None]
        if missing:
            sentence = f"Static vectors **{plain(each.name)}**: {count(len(missing), 'language pair')} not computed."
            compute.offer(spec, sentence, lambda worker: None, f"static-{spec.id}")


def add(drawn: go.Figure, selection: Selection, measure: str) -> None:
    """Draw the mean of each set of static vectors that has scores on every chosen pair."""
    for each in _able(selection):
        spec = _spec(selection, each)
        served = {pair: static_alignment.covering(spec, pair, selection.have) for pair in spec.pairs}
        if any(shard is None for shard in served.values()):
            continue
        wanted = [
            (shard.path.stem, *ends)
            for pair, shard in served.items()
            if shard is not None
            for ends in selection.directed((pair.source, pair.target))
        ]
        files = sorted({shard.path for shard in served.values() if shard is not None})
        found = alignment_views.grid(files, wanted, [selection.metric(measure)], [spec.variant], selection.runs)
        for value in found["value"]:
            add_reference(drawn, float(value), label=each.name, form=".3f")


def _able(selection: Selection) -> list[StaticSet]:
    """The sets that have every language of the chosen pairs; none for sentences and for masked words."""
    if selection.unit != "word" or selection.options.get("masked"):
        return []
    tags = {tag for pair in selection.pairs for tag in pair}
    with guard():
        kept = static_library.entries(workspaces())
    return [each for each in kept if all(each.language(tag) for tag in tags)]


def _spec(selection: Selection, each: StaticSet) -> StaticAlignmentSpec:
    options = {name: value for name, value in selection.options.items() if name != "masked"}
    pairs = tuple(selection.dictionary_pair(pair) for pair in selection.pairs)
    return StaticAlignmentSpec(model=each.name, vectors=each.fingerprint, corpus=selection.corpus.id, pairs=pairs, **options)
