"""Static word vectors as horizontal lines: what a word, or the mean of a sentence's words, is worth without its sentence."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from backend.charts.parts.paper import add_named_reference, add_reference
from backend.charts.parts.theme import DASHES
from backend.experiments.alignment import queries as alignment_queries
from backend.experiments.alignment.static import StaticAlignmentSpec
from backend.experiments.alignment.static_sentences import StaticSentencesSpec
from backend.experiments.checkpoint_scores import covering
from backend.experiments.words import count
from backend.models.static import library as static_library
from backend.models.static.library import StaticSet
from backend.store.scores import ShardFile
from pages.alignment.selection import Selection
from pages.widgets import compute
from pages.widgets.words import plain
from pages.widgets.workspace import guard, workspaces

Served = dict[tuple[str, str], ShardFile | None]
"""Of each pair of languages, the file that has its scores."""
HELP = {
    "word": "A line a set: words without their sentence, scored over the pairs whose words both have a vector.",
    "sentence": "A line a set: the mean of a sentence's words, scored over the sentences with a known word in both languages.",
}
RESTS_ON = {"word": "pairs", "sentence": "sentences"}


def toggle(selection: Selection) -> list[StaticSet]:
    """Return the switch, where some set of static vectors has the languages; the sets to draw."""
    able = _able(selection)
    if able and st.toggle("Static vectors", key="static", bind="query-params", help=HELP[selection.unit]):
        return able
    return []


def offer(selection: Selection, sets: Sequence[StaticSet]) -> None:
    """For each set whose line is not computed: the button that computes it."""
    for each in sets:
        spec = _spec(selection, each)
        missing = sum(shard is None for shard in _served(selection, spec).values())
        if missing:
            sentence = f"Static vectors **{plain(each.name)}**: {count(missing, 'language pair')} not computed."
            if isinstance(spec, StaticSentencesSpec):
                compute.offer(spec, sentence, f"static-{spec.id}")
            else:
                compute.offer(spec, sentence, f"static-{spec.id}")


def add(drawn: go.Figure, selection: Selection, measure: str, sets: Sequence[StaticSet], *, by_pair: bool = False) -> None:
    """Draw each set that has scores on every chosen pair: their mean, or (`by_pair`) a line a directed pair.

    Each line is named with the share of words or sentences that it rests on.
    """
    lines = [(each, pairs_of(selection, measure, each)) for each in sets]
    for each, found in lines:
        if found.empty:
            continue
        rests = f"{known_share(selection, each):.0%} of the {RESTS_ON[selection.unit]}"
        if not by_pair:
            add_reference(drawn, float(found["value"].mean()), label=f"{each.name}, {rests}", form=".3f")
            continue
        for place, row in enumerate(found.to_dict("records")):
            label = (f"{each.name}, {rests}", f"{row['source']} → {row['target']}")
            add_named_reference(drawn, row["value"], label, dash=DASHES[1 + place % (len(DASHES) - 1)], form=".3f")


def pairs_of(selection: Selection, measure: str, each: StaticSet) -> pd.DataFrame:
    """Return a set's scores, a row a directed pair as of `alignment_queries.pairs`; none where some pair is not computed."""
    spec = _spec(selection, each)
    served = _served(selection, spec)
    shards = {pair: shard for pair, shard in served.items() if shard is not None}
    complete = len(shards) == len(served)
    files = sorted({shard.path for shard in shards.values()}) if complete else []
    wanted = [(shard.path.stem, *ends) for pair, shard in shards.items() for ends in selection.directed(pair)]
    return alignment_queries.pairs(files, wanted, [selection.metric(measure)], [spec.variant], selection.runs)


def known_share(selection: Selection, each: StaticSet) -> float:
    """Return the share of the word pairs drawn, or of the sentences, that have a vector on both sides."""
    of = "drawn" if selection.unit == "word" else "sentences"
    served = _served(selection, _spec(selection, each))
    counts = [shard.provenance["counts"]["-".join(pair)] for pair, shard in served.items() if shard is not None]
    drawn = sum(each[of] for each in counts)
    return sum(each[of] - each["lost"] for each in counts) / drawn if drawn else 0.0


def _able(selection: Selection) -> list[StaticSet]:
    """Return the sets that have every language of the chosen pairs; none for masked words."""
    if selection.options.get("masked"):
        return []
    tags = {tag for pair in selection.pairs for tag in pair}
    with guard():
        kept = static_library.entries(workspaces())
    return [each for each in kept if all(each.language(tag) for tag in tags)]


def _spec(selection: Selection, each: StaticSet) -> StaticAlignmentSpec | StaticSentencesSpec:
    options = {name: value for name, value in selection.options.items() if name != "masked"}
    common = {"model": each.name, "vectors": each.fingerprint, "corpus": selection.corpus.id} | options
    if selection.unit == "sentence":
        return StaticSentencesSpec(languages=tuple(sorted({tag for pair in selection.pairs for tag in pair})), **common)
    return StaticAlignmentSpec(pairs=tuple(selection.dictionary_pair(pair) for pair in selection.pairs), **common)


def _served(selection: Selection, spec: StaticAlignmentSpec | StaticSentencesSpec) -> Served:
    keys = {pair: selection.dictionary_pair(pair).key if selection.unit == "word" else list(pair) for pair in selection.pairs}
    return {pair: covering(spec.provenance(), key, selection.have) for pair, key in keys.items()}
