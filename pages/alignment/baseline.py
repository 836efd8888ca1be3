"""Static word vectors as a horizontal line: what a word is worth without its sentence."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
import streamlit as st

from backend.charts.parts.paper import add_reference
from backend.experiments.alignment import queries as alignment_queries
from backend.experiments.alignment.static import StaticAlignmentSpec
from backend.experiments.alignment.words.spec import DictionaryPair
from backend.experiments.checkpoint_scores import covering
from backend.experiments.words import count
from backend.models.static import library as static_library
from backend.models.static.library import StaticSet
from backend.store.scores import ShardFile
from pages.alignment.selection import Selection
from pages.widgets import compute
from pages.widgets.words import plain
from pages.widgets.workspace import guard, workspaces


def toggle(selection: Selection) -> list[StaticSet]:
    """Return the switch, where some set of static vectors has the languages; the sets to draw."""
    able = _able(selection)
    help_ = "A line a set: words without their sentence, scored over the pairs whose words both have a vector."
    if able and st.toggle("Static vectors", key="static", bind="query-params", help=help_):
        return able
    return []


def offer(selection: Selection, sets: Sequence[StaticSet]) -> None:
    """For each set whose line is not computed: the button that computes it."""
    for each in sets:
        spec = _spec(selection, each)
        missing = [pair for pair in spec.pairs if covering(spec.provenance(), pair.key, selection.have) is None]
        if missing:
            sentence = f"Static vectors **{plain(each.name)}**: {count(len(missing), 'language pair')} not computed."
            compute.offer(spec, sentence, f"static-{spec.id}")


def add(drawn: go.Figure, selection: Selection, measure: str, sets: Sequence[StaticSet]) -> None:
    """Draw the mean of each set that has scores on every chosen pair, named with the share of word pairs it rests on."""
    for each in sets:
        spec = _spec(selection, each)
        served = {pair: covering(spec.provenance(), pair.key, selection.have) for pair in spec.pairs}
        shards = [shard for shard in served.values() if shard is not None]
        if len(shards) < len(served):
            continue
        wanted = [
            (shard.path.stem, *ends)
            for pair, shard in served.items()
            if shard is not None
            for ends in selection.directed((pair.source, pair.target))
        ]
        files = sorted({shard.path for shard in shards})
        found = alignment_queries.grid(files, wanted, [selection.metric(measure)], [spec.variant], selection.runs)
        label = f"{each.name}, {known_share(list(served.items())):.0%} of the pairs"
        for value in found["value"]:
            add_reference(drawn, float(value), label=label, form=".3f")


def known_share(served: Sequence[tuple[DictionaryPair, ShardFile | None]]) -> float:
    """Return the share of the word pairs drawn whose words both have a vector."""
    counts = [shard.provenance["counts"][f"{pair.source}-{pair.target}"] for pair, shard in served if shard is not None]
    drawn = sum(each["drawn"] for each in counts)
    return sum(each["drawn"] - each["lost"] for each in counts) / drawn if drawn else 0.0


def _able(selection: Selection) -> list[StaticSet]:
    """Return the sets that have every language of the chosen pairs; none for sentences and for masked words."""
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
