"""Static word vectors as horizontal lines: what a word, or the mean of a sentence's words, is worth without its sentence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import argument
from isogloss.backend.experiments.alignment import frames as alignment_frames
from isogloss.backend.experiments.alignment import queries as alignment_queries
from isogloss.backend.experiments.alignment.rows import FAMILY
from isogloss.backend.experiments.alignment.static import StaticAlignmentSpec
from isogloss.backend.experiments.alignment.static_sentences import StaticSentencesSpec
from isogloss.backend.experiments.checkpoint_scores import serving
from isogloss.backend.experiments.frames import files_of
from isogloss.backend.experiments.words import count
from isogloss.backend.models.static import library as static_library
from isogloss.backend.models.static.library import StaticSet
from isogloss.backend.store.scores import ShardFile
from isogloss.pages.alignment.selection import Selection
from isogloss.pages.widgets.choosing.selecting import by_unique_name
from isogloss.pages.widgets.runs import compute
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import guard, workspaces

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
            sentence = f"Static vectors **{verbatim(each.name)}**: {count(missing, 'language pair')} not computed yet."
            compute.offer(spec, sentence)


def steps(
    selection: Selection, measure: str, sets: Sequence[StaticSet], *, by_pair: bool = False
) -> list[partial[pd.DataFrame]]:
    """Return the step of a recipe that adds the rows of each set which has scores on every chosen pair; none without any.

    A set has one row, the mean of the pairs, or (`by_pair`) a row a directed pair.
    """
    specs = {each.fingerprint: _spec(selection, each) for each in sets}
    wanted = [row for spec in specs.values() for row in _complete(selection, spec)[0]]
    if not wanted:
        return []
    query = alignment_queries.pairs if by_pair else alignment_queries.grid
    variants = list(dict.fromkeys(spec.variant for spec in specs.values()))
    asked: dict[str, Any] = {"wanted": wanted, "metrics": [selection.metric(measure)], "variants": variants}
    asked["runs"] = selection.runs
    step = partial(alignment_frames.with_static, measure=measure, names=_names(sets))
    runs = list(dict.fromkeys(run for run, _, _ in wanted))
    files = argument(partial(files_of, workspaces=workspaces(), family=FAMILY, shards=runs))
    return [partial(step, static=argument(partial(query, files, **asked)))]


def rests(selection: Selection, sets: Sequence[StaticSet]) -> dict[str, str]:
    """Return what the line of each set rests on, by the set's name."""
    names = _names(sets)
    return {names[each.fingerprint]: f"{known_share(selection, each):.0%} of the {RESTS_ON[selection.unit]}" for each in sets}


def _names(sets: Sequence[StaticSet]) -> dict[str, str]:
    """Name each set by its fingerprint; two workspaces may have one of the same name each."""
    named = by_unique_name(sets, lambda vectors: vectors.name, lambda vectors: vectors.fingerprint)
    return {vectors.fingerprint: name for name, vectors in named.items()}


def pairs_of(selection: Selection, measure: str, each: StaticSet) -> pd.DataFrame:
    """Return a set's scores, a row a directed pair as of `alignment_queries.pairs`; none where some pair is not computed."""
    spec = _spec(selection, each)
    wanted, files = _complete(selection, spec)
    return alignment_queries.pairs(files, wanted, [selection.metric(measure)], [spec.variant], selection.runs)


def _complete(
    selection: Selection, spec: StaticAlignmentSpec | StaticSentencesSpec
) -> tuple[list[tuple[str, str, str]], list[Path]]:
    """Return a set's directed pairs by their shards, and these shards' files; nothing where some pair is not computed."""
    served = _served(selection, spec)
    shards = {pair: shard for pair, shard in served.items() if shard is not None}
    if len(shards) < len(served):
        return [], []
    wanted = [(shard.path.stem, *ends) for pair, shard in shards.items() for ends in selection.directed(pair)]
    return wanted, sorted({shard.path for shard in shards.values()})


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
    options = {name: value for name, value in selection.options.items() if name not in ("masked", "vector")}
    common = {"model": each.name, "vectors": each.fingerprint, "corpus": selection.corpus.id} | options
    if selection.unit == "sentence":
        return StaticSentencesSpec(languages=tuple(sorted({tag for pair in selection.pairs for tag in pair})), **common)
    return StaticAlignmentSpec(pairs=tuple(selection.dictionary_pair(pair) for pair in selection.pairs), **common)


def _served(selection: Selection, spec: StaticAlignmentSpec | StaticSentencesSpec) -> Served:
    keys = {pair: selection.dictionary_pair(pair).key if selection.unit == "word" else list(pair) for pair in selection.pairs}
    found = serving(spec.provenance(), keys.values(), selection.have)
    return {pair: found.get(tuple(key)) for pair, key in keys.items()}
