"""What pairs the words of two languages: which dictionary, or alignment of the corpus, where there are several."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import streamlit as st

from isogloss.backend.corpora.dictionaries import library as dictionary_library
from isogloss.backend.corpora.dictionaries.library import DictionaryEntry
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.word_alignments import library as alignments
from isogloss.backend.corpora.word_alignments.library import AlignmentEntry
from isogloss.backend.experiments.words import several as several_names
from isogloss.backend.models.entry import Model
from isogloss.backend.store.scores import ShardFile
from isogloss.pages.widgets.choosing.choices import start_index
from isogloss.pages.widgets.choosing.selecting import unique_names
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import demo, guard, user_workspaces, workspaces

Source = DictionaryEntry | AlignmentEntry
"""What pairs the words of two languages."""
Pair = tuple[str, str]
NONE = "None"
SMALL = "The demo's dictionaries have about a thousand words each, those of its own corpus."
NAMED, PAIRED = 3, 12
"""How many dictionaries are named above a figure, at most; of more the languages, up to so many pairs, and a help names all."""


def choose(corpus: str, pairs: Sequence[Pair], models: Sequence[Model], have: Iterable[ShardFile]) -> dict[Pair, Source]:
    """Draw the choices among several sources; returns what pairs the words of each pair of languages, where something does.

    `have` are the files of scores. By default the first of what `ranked` says, but of a corpus that is not the demo's no
    dictionary of the demo's, unless there are scores with it: they are small.
    """
    with guard():
        kept: list[Source] = [*dictionary_library.entries(workspaces())]
        kept += [entry for entry in alignments.entries(workspaces()) if entry.corpus == corpus]
        owned = {each.id for each in [*dictionary_library.entries(user_workspaces()), *alignments.entries(user_workspaces())]}
        of_demo = corpus in {entry.id for entry in corpora.entries(demo())}
    scored = with_scores(corpus, models, have)
    chosen: dict[Pair, Source] = {}
    several: dict[Pair, dict[str, Source | None]] = {}
    for pair in pairs:
        choices = ranked([entry for entry in kept if _pairs(entry, pair)], owned, scored)
        if not choices:
            continue
        usual = of_demo or choices[0].id in owned or choices[0].id in scored
        options: dict[str, Source | None] = {} if usual else {NONE: None}
        options |= unique_names(choices)
        if len(options) > 1:
            several[pair] = options
        elif usual:
            chosen[pair] = choices[0]
    if several:
        chosen |= _choose_among(several, expanded=not chosen and all(NONE in options for options in several.values()))
    return {pair: chosen[pair] for pair in pairs if pair in chosen}


def ranked(found: Sequence[Source], owned: Collection[str], scored: Collection[str]) -> list[Source]:
    """Return the sources, those first that have scores, then one's own, then dictionaries, then the newest."""
    newest = sorted(found, key=lambda entry: entry.created_at, reverse=True)
    return sorted(newest, key=lambda entry: (entry.id not in scored, entry.id not in owned, isinstance(entry, AlignmentEntry)))


def with_scores(corpus: str, models: Sequence[Model], have: Iterable[ShardFile]) -> set[str]:
    """Return the ids of the sources that have scores of some checkpoint of these models on the corpus."""
    fingerprints = {checkpoint.fingerprint for model in models for checkpoint in model.checkpoints}
    of_these = (file.provenance for file in have if file.provenance.get("fingerprint") in fingerprints)
    keys = (key for each in of_these if each.get("corpus") == corpus for key in each.get("pairs", ()))
    return {key[2] for key in keys if len(key) > 2}  # of sentences a pair is two languages alone


def tell(dictionaries: Mapping[Pair, Source]) -> None:
    """Name above the figures what pairs the words; nothing where nothing does."""
    if not dictionaries:
        return
    sizes = {
        entry.id: (entry, [pair for pair, each in dictionaries.items() if each.id == entry.id])
        for entry in dictionaries.values()
    }
    languages = ["–".join(pairs[0]) for _, pairs in sizes.values()]
    each = [f"{of} {verbatim(entry.name)} ({_size(entry)})" for of, (entry, _) in zip(languages, sizes.values(), strict=True)]
    what = "Dictionary" if len(each) == 1 else "Dictionaries"
    named = several_names(each, NAMED) if len(each) <= NAMED else several_names(languages, PAIRED)
    st.caption(f"{what}: {named}.", help="; ".join(each) if len(each) > PAIRED else None)


def _size(entry: Source) -> str:
    return f"{entry.words:,} words" if isinstance(entry, DictionaryEntry) else f"alignment, {entry.links:,} links"


def _choose_among(several: Mapping[Pair, Mapping[str, Source | None]], *, expanded: bool) -> dict[Pair, Source]:
    """Draw a box for each pair of languages that has a choice, and a button where some can take the demo's."""
    chosen = {}
    with st.expander("Sources of word pairs", expanded=expanded, icon=":material/dictionary:"):
        if lacking := {pair: list(options) for pair, options in several.items() if NONE in options}:
            demos = {_key(pair): _name(names[1], several[pair][names[1]]) for pair, names in lacking.items()}
            st.button("Use the demo's", key="demo-dictionaries", on_click=st.session_state.update, args=(demos,), help=SMALL)
        for pair, options in several.items():
            names = {_name(name, entry): entry for name, entry in options.items()}
            label = f"{language(pair[0]).name} and {language(pair[1]).name}"
            key = _key(pair)
            name = st.selectbox(label, list(names), start_index(key, list(names)), key=key, bind="query-params")
            if (entry := names[name]) is not None:
                chosen[pair] = entry
    return chosen


def _key(pair: Pair) -> str:
    return f"dictionary_{pair[0]}_{pair[1]}"


def _name(name: str, entry: Source | None) -> str:
    return f"{name} (alignment)" if isinstance(entry, AlignmentEntry) else name


def _pairs(entry: Source, pair: Pair) -> bool:
    """Whether a dictionary is of these two languages; regions and scripts do not matter."""
    ends = {entry.source.split("-")[0], entry.target.split("-")[0]}
    return ends == {tag.split("-")[0] for tag in pair} and len(ends) == 2
