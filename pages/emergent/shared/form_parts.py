"""What the forms of the benchmark and of the translation check share: runs under way, the corpora, the sources."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from isogloss.backend.corpora.parallel import library
from isogloss.backend.corpora.parallel.library import CorpusEntry
from isogloss.backend.experiments.sources.source import PRESETS, EmergentSource, NoPretraining, Preset, TextSource
from isogloss.backend.experiments.words import count
from isogloss.pages.emergent.shared.selection import Selection
from isogloss.pages.widgets.choosing.choices import segments, select
from isogloss.pages.widgets.choosing.selecting import language_name, unique_names
from isogloss.pages.widgets.runs import compute
from isogloss.pages.widgets.workspace import attempt, guard, user_workspaces, workspaces


def unfold(
    experiment: str, label: str, icon: str, *, draw: Callable[[dict[str, CorpusEntry], set[str]], None], expanded: bool = False
) -> None:
    """Watch the experiment's runs that are under way, then draw the form in an expander.

    `draw` gets the corpora of human text by their names and the shards of those runs. A `SpecError` that it raises, for what
    does not go together, is said.
    """
    under_way = compute.under_way(lambda job: job.spec.get("experiment") == experiment)
    with st.expander(label, icon=icon, expanded=expanded), guard():
        corpora = unique_names(library.entries(workspaces()))
        attempt(lambda: draw(corpora, under_way))


def chosen_in_the_side_bar(selection: Selection) -> None:
    """Draw the line above the other sources."""
    st.caption(f"From the {count(len(selection.corpora), 'corpus', 'corpora')} chosen in the side bar, and from:")


def longest(corpora: dict[str, CorpusEntry], wanted: Sequence[str] = ()) -> str:
    """Return the corpus that a form starts with, by name: one's own before the demo's, that of the longest `wanted` text."""
    own = {entry.id for entry in library.entries(user_workspaces())}

    def size(name: str) -> tuple[bool, int, int]:
        characters = {known.tag: known.characters for known in corpora[name].languages}
        return (
            corpora[name].id in own,
            max((characters.get(tag, 0) for tag in wanted), default=0),
            max(characters.values(), default=0),
        )

    return max(corpora, key=size)


def corpus(label: str, corpora: dict[str, CorpusEntry], key: str, first: str) -> tuple[str, CorpusEntry]:
    """Draw a select box of corpora, at `first`; returns the chosen one's name and entry."""
    name = select(label, list(corpora), key, width=220, index=list(corpora).index(first))
    return name, corpora[name]


def languages(label: str, entry: CorpusEntry, default: list[str], *, key: str, placeholder: str) -> list[str]:
    """Draw a multiple choice among the languages of a corpus; returns the chosen tags. `key` is unique with the corpus' id."""
    key = f"{key}_{entry.id[:6]}"
    return st.multiselect(label, entry.tags, default, language_name, key=key, bind="query-params", placeholder=placeholder)


def preset(names: Sequence[Preset], *, key: str, help: str) -> Preset:
    """Draw a choice among presets, the quick one at first."""
    return segments("Preset", {name: PRESETS[name] for name in names}, key, "quick", help)


def sources(
    selection: Selection, human: tuple[str, CorpusEntry], spoken: Sequence[str], *, fresh: bool
) -> tuple[EmergentSource | TextSource | NoPretraining, ...]:
    """Return the corpora of the side bar, the languages `spoken` of a human text, and no pre-training where `fresh`."""
    name, text = human
    return (
        *(EmergentSource(corpus=entry.id, name=name[:120]) for name, entry in selection.corpora.items()),
        *(TextSource(corpus=text.id, language=tag, name=name[:120]) for tag in spoken),
        *((NoPretraining(),) if fresh else ()),
    )
