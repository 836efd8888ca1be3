"""A language grown in a signalling game: its form and price, games under way, and what becomes of them."""

from __future__ import annotations

import time
from typing import Any, get_args

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from backend.corpora.emergent import library as emergent_library
from backend.corpora.shared.kept import MAX_NAME
from backend.experiments.emergent.family import rules
from backend.experiments.emergent.game import finished_games as language_games
from backend.experiments.emergent.game import shard as language_game
from backend.experiments.emergent.game.shard import LanguageGameSpec
from backend.experiments.spec import validate
from backend.jobs import client
from backend.settings import settings
from backend.training.signalling_game.options import GameOptions
from backend.training.signalling_game.presets import PRESETS, Preset
from pages.emergent.learning import games
from pages.emergent.shared.selection import Selection
from pages.widgets import notes
from pages.widgets.choosing import more
from pages.widgets.choosing.cell import open_cell
from pages.widgets.choosing.selecting import unique_names
from pages.widgets.runs import compute, job_list
from pages.widgets.words import plain
from pages.widgets.workspace import attempt, guard, workspaces

WATCHED = "games-watched"
"""Session state: the run ids of games that were under way when the page was last drawn."""
OFFERED = "games-offered"
"""Session state: the keys of the games that this visitor's form described."""
NAMES: dict[Preset, str] = {
    "quick": "Quick discrimination",
    "quick-reconstruction": "Quick reconstruction",
    "quick-disc-small": "Quick small discrimination",
    "quick-disc-large": "Shortened large discrimination",
    "quick-recon-large": "Shortened large reconstruction",
    "xferbench-disc-small": "XferBench, Disc, small, as printed",
    "xferbench-disc-large": "XferBench, Disc, large, as printed",
    "xferbench-recon-large": "XferBench, Recon, large, as printed",
    "elcc-disc": "ELCC discrimination",
    "elcc-recon": "ELCC reconstruction",
    "egg": "EGG's example",
}
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
)
"""Options of a game that few change: they are folded away."""
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
    said: list[tuple[str, notes.Icon]] = []
    for job in over:
        name = plain(str(job.spec["name"]))
        if job.state == "done":
            said.append((f"{name} is grown.", ":material/check:"))
        elif job.state == "failed":
            said.append((f"{name} could not be grown: see “Make a corpus”, or Jobs.", ":material/info:"))
    own = {shard for job in over if job.state == "done" for shard in job.shards} & st.session_state.get(OFFERED, set())
    for text, icon in said:
        if own:
            notes.after_rerun(text, icon)
        else:
            st.toast(text, icon=icon)
    if own:
        show(own, selection)
    for job in active:
        compute.watch(job.id, job.done, time.time())


def show(keys: set[str], selection: Selection | None) -> None:
    """Draw the page again with the languages of these games chosen too."""
    wanted = {each.corpus for each in language_games.finished_games(workspaces()) if each.key in keys}
    known = unique_names(emergent_library.entries(workspaces()))
    chosen = list(selection.corpora) if selection else []
    new = [name for name, entry in known.items() if entry.id in wanted and name not in chosen]
    open_cell(games.VIEW, corpora=[*chosen, *new])


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
        st.error(plain(f"Another emergent corpus is called '{spec.name}'. Choose another name."), icon=":material/error:")
        return
    sentence = f"**{plain(spec.name)}**: {plain(', '.join(rules(spec.options.model_dump())))}."
    compute.offer(spec, sentence, f"grow-{spec.id}", verb="Train")


def _under_way(spec: LanguageGameSpec) -> bool:
    with guard():
        return any(job_list.is_active(job) for job in client.jobs(settings(), compute.RECENT, having=spec.shards()))


def _grown(spec: LanguageGameSpec, corpus: str, selection: Selection | None) -> None:
    known = unique_names(emergent_library.entries(workspaces()))
    name = next(name for name, entry in known.items() if entry.id == corpus)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/check_circle: This language is grown: **{plain(name)}**.")
        if st.button("Look at it", key="grown-show", type="tertiary", icon=":material/show_chart:"):
            show({spec.key}, selection)


def _spec() -> LanguageGameSpec:
    """Return what the form says. Raises `SpecError` where its numbers do not fit each other."""
    with (shown := st.container(horizontal=True, vertical_alignment="bottom")):
        preset: Preset = st.selectbox(
            "Preset", list(get_args(Preset)), format_func=NAMES.__getitem__, key="game", bind="query-params", width=280
        )
        seed = st.number_input("Seed", 0, 2**31 - 1, 0, key="game_seed", bind="query-params", width=110)
        suggested = f"{NAMES[preset]}, seed {int(seed)}"
        name = st.text_input("Name", key="game_name", max_chars=MAX_NAME, placeholder=suggested, bind="query-params", width=300)
    fields = {**PRESETS[preset], "seed": int(seed), **_fields(preset, shown)}
    return validate(LanguageGameSpec, {"name": (name or "").strip() or suggested, "options": fields})


def _fields(preset: Preset, shown: DeltaGenerator) -> dict[str, Any]:
    """Return the options that make the language what it is, the preset's at first; the others are the preset's.

    The size of the messages is drawn in `shown`, the rest is folded away.
    """
    first = GameOptions.model_validate(PRESETS[preset])
    found: dict[str, Any] = {}

    def whole(field: str, label: str, least: int, most: int, help: str | None = None, *, every: str = "") -> None:
        # A preset's defaults come with it: a key each, else the widget would keep the other's.
        value = st.number_input(
            label,
            least,
            most,
            getattr(first, field),
            key=f"game_{field}_{preset}",
            bind="query-params",
            width=128,
            help=help,
            placeholder=every or None,
        )
        found[field] = None if value is None else int(value)

    with shown:
        whole("vocabulary", "Symbols", 2, 30_000, "The end of a message included, where messages can end early.")
        whole("length", "Length", 1, 256, "Symbols of a message, at most.")
    untouched = {f"game_{field}_{preset}": getattr(first, field) for field in (*RARELY, "keep_end")}
    with more.settings("game", untouched), st.container(horizontal=True, vertical_alignment="bottom"):
        whole("attributes", "Attributes", 1, 64, "Of an object.")
        whole("values", "Values", 2, 1000, "Of each attribute: there are values to the power of attributes objects.")
        if first.game == "discrimination":
            whole("distractors", "Distractors", 1, 999, "Other objects among which the receiver finds the sender's.")
        whole("objects", "Objects", 2, 10_000_000, "How many the game is played with.", every="All")
        whole(
            "examples",
            "Examples",
            1,
            10_000_000,
            "Of an epoch, drawn with repetition; without a number, each object once.",
            every="Each once",
        )
        whole(
            "utterances",
            "Utterances",
            1,
            10_000_000,
            "How many objects the corpus speaks of; else each example.",
            every="All",
        )
        whole("epochs", "Epochs", 1, 100_000, "At most: a game ends early where its preset says what success is enough.")
        whole("batch", "Batch", 1, 65_536, "Examples a step.")
        whole("hidden", "Hidden size", 1, 4096, "Of the sender; of the receiver too, unless it has its own.")
        whole("receiver_hidden", "Receiver's", 1, 4096, "Hidden size of the receiver.", every="The same")
        if first.end_of_sequence:
            found["keep_end"] = st.toggle(
                "Keep the end symbol",
                key=f"game_keep_end_{preset}",
                bind="query-params",
                help="In the corpus, at the end of every message: up to one symbol more, and no message is empty.",
            )
    return found
