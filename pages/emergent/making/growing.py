"""A language grown in a signalling game: its form and price, games under way, and what becomes of them."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.shared.kept import MAX_NAME
from isogloss.backend.experiments.emergent.game import finished_games as language_games
from isogloss.backend.experiments.emergent.game import shard as language_game
from isogloss.backend.experiments.emergent.game.shard import LanguageGameSpec
from isogloss.backend.experiments.spec import validate
from isogloss.backend.jobs import client
from isogloss.backend.option import declared, words_of_run
from isogloss.backend.settings import settings
from isogloss.backend.training.signalling_game.options import GameOptions
from isogloss.backend.training.signalling_game.presets import NAMES, PRESETS, Preset
from isogloss.pages.emergent.learning import games
from isogloss.pages.emergent.making import keep
from isogloss.pages.emergent.shared.selection import Selection
from isogloss.pages.widgets import notes
from isogloss.pages.widgets.choosing import more
from isogloss.pages.widgets.choosing.choices import box
from isogloss.pages.widgets.choosing.form import form as form_of
from isogloss.pages.widgets.choosing.form import untouched
from isogloss.pages.widgets.choosing.selecting import unique_names
from isogloss.pages.widgets.runs import compute, job_list
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import attempt, guard, workspaces

WATCHED = "games-watched"
"""Session state: the run ids of games that were under way when the page was last drawn."""
OFFERED = "games-offered"
"""Session state: the keys of the games that this visitor's form described."""
RARELY = (
    "attributes",
    "values",
    "distractors",
    "objects",
    "examples",
    "utterances",
    "epochs",
    "batch",
    "hidden",
    "receiver_hidden",
    "keep_end",
)
"""Options of a game that few change: they are folded away."""
SIZE = ("vocabulary", "length")
"""Of the messages."""
MEANING = (
    "Two agents learn to tell each other about objects: a sender says symbols, a receiver finds the object among others "
    "(discrimination) or names its values (reconstruction). The trained sender's messages form the corpus."
)


def watch(selection: Selection | None) -> None:
    """Games under way, with their success so far; those that ended since the last look are said.

    Only the languages that this visitor grew are selected: a game of another visitor does not change the view.
    """
    with guard():
        jobs = [
            job for job in client.jobs(settings(), compute.RECENT) if job.spec.get("experiment") == language_game.EXPERIMENT
        ]
    active = [job for job in jobs if job_list.is_active(job)]
    before: set[str] = st.session_state.get(WATCHED, set())
    st.session_state[WATCHED] = {job.id for job in active}
    over = [job for job in jobs if job.id in before and not job_list.is_active(job)]
    messages: list[tuple[str, notes.Icon]] = []
    for job in over:
        name = verbatim(str(job.spec["name"]))
        if job.state == "done":
            messages.append((f"{name} is trained.", ":material/check:"))
        elif job.state == "failed":
            messages.append((f"{name} could not be trained: see “Make a corpus”, or Jobs.", ":material/info:"))
    finished = {shard for job in over if job.state == "done" for shard in job.shards} & st.session_state.get(OFFERED, set())
    for text, icon in messages:
        if finished:
            notes.after_rerun(text, icon)
        else:
            st.toast(text, icon=icon)
    if finished:
        show(finished, selection)
    for job in active:
        compute.watch(job.id, job.done, time.time())


def show(keys: set[str], selection: Selection | None) -> None:
    """Draw the page again with the languages of these games chosen too."""
    wanted = {each.corpus for each in language_games.finished_games(workspaces()) if each.key in keys}
    keep.look_at(wanted, selection, games.VIEW)


def form(selection: Selection | None) -> None:
    """Draw the game's options, its price, and the button that plays it."""
    st.caption(MEANING)
    if (spec := attempt(_spec)) is None:
        return
    st.session_state.setdefault(OFFERED, set()).add(spec.key)
    if (corpus := language_game.corpus_of(spec, workspaces())) is not None:
        _grown(spec, corpus, selection)
        return
    if _under_way(spec):
        st.caption(":material/hourglass_top: This game is under way.")
        return
    if any(entry.name.casefold() == spec.name.casefold() for entry in emergent_library.entries([settings().workspace])):
        st.error(verbatim(f"Another emergent corpus is called '{spec.name}'. Choose another name."), icon=":material/error:")
        return
    sentence = f"**{verbatim(spec.name)}**: {verbatim(', '.join(words_of_run(GameOptions, dict(spec.options))))}."
    compute.offer(spec, sentence, verb="Train")


def _under_way(spec: LanguageGameSpec) -> bool:
    with guard():
        return any(job_list.is_active(job) for job in client.jobs(settings(), compute.RECENT, having=spec.shards))


def _grown(spec: LanguageGameSpec, corpus: str, selection: Selection | None) -> None:
    known = unique_names(emergent_library.entries(workspaces()))
    name = next(name for name, entry in known.items() if entry.id == corpus)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/check_circle: This language is trained: **{verbatim(name)}**.")
        if st.button("Look at it", key="grown-show", type="tertiary", icon=":material/show_chart:"):
            show({spec.key}, selection)


def _spec() -> LanguageGameSpec:
    """Return what the form says. Raises `SpecError` where its numbers do not fit each other."""
    with (shown := st.container(horizontal=True, vertical_alignment="bottom")):
        preset = box("Preset", NAMES, "game", "quick", width=280)
        seed = form_of(GameOptions, {}, only=("seed",), width=110)
        suggested = f"{NAMES[preset]}, seed {seed['seed']}"
        name = st.text_input("Name", key="game_name", max_chars=MAX_NAME, placeholder=suggested, bind="query-params", width=300)
    fields = {**PRESETS[preset], **seed, **_fields(preset, shown)}
    return validate(LanguageGameSpec, {"name": (name or "").strip() or suggested, "options": fields})


def _fields(preset: Preset, shown: DeltaGenerator) -> dict[str, Any]:
    """Return the options that make the language what it is, the preset's at first; the others are the preset's.

    The size of the messages is drawn in `shown`, the rest is folded away.
    """
    first = dict(GameOptions.model_validate(PRESETS[preset]))
    options = declared(GameOptions)
    keys = {name: f"game_{name}_{preset}" for name in options}
    folded = [name for name in RARELY if options[name].applies(first)]
    controls = partial(form_of, GameOptions, first, keys=keys, width=128)
    with shown:
        found = controls(only=SIZE)
    rest = more.settings("game", untouched(GameOptions, first, keys, folded))
    with rest, st.container(horizontal=True, vertical_alignment="bottom"):
        return found | controls(known={name: first[name] for name in ("game", "end_of_sequence")}, only=folded)
