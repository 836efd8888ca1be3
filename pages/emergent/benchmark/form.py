"""What XferBench is to compute: the form of a new run, its price, and a button that trains just what is not there."""

from __future__ import annotations

from functools import partial

import streamlit as st

from isogloss.backend.corpora.parallel.library import CorpusEntry
from isogloss.backend.experiments.sources.source import PRESETS, distinct
from isogloss.backend.experiments.spec import validate
from isogloss.backend.experiments.xferbench import amounts, baselines
from isogloss.backend.experiments.xferbench.printed.tables import TARGETS
from isogloss.backend.experiments.xferbench.spec import EXPERIMENT, XferBenchSpec
from isogloss.pages.emergent.benchmark import custom_options
from isogloss.pages.emergent.shared import form_parts, missing
from isogloss.pages.emergent.shared.selection import Selection
from isogloss.pages.widgets import navigation
from isogloss.pages.widgets.choosing import more
from isogloss.pages.widgets.choosing.form import form
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import workspaces

FIRST = 3
"""Targets chosen by default."""
HUMAN = ("en",)
"""The human source chosen by default."""


def offer(selection: Selection, *, expanded: bool) -> None:
    """Draw the form: what it asks for is priced and computed at a press."""

    def draw(corpora: dict[str, CorpusEntry], under_way: set[str]) -> None:
        if not corpora:
            _lacking()
        elif (spec := _spec(selection, corpora)) is not None:
            for caution in amounts.cautions(spec, workspaces()):
                st.markdown(f":material/warning: **Caution.** {verbatim(caution)}")
            missing.offer(spec, under_way, before=partial(baselines.keep_random, spec, workspaces()))

    form_parts.unfold(EXPERIMENT, "XferBench", ":material/leaderboard:", expanded=expanded, draw=draw)


def _spec(selection: Selection, corpora: dict[str, CorpusEntry]) -> XferBenchSpec | None:
    """Return the spec of the form; None, with a hint, while it lacks something. Raises `SpecError` for options that clash."""
    form_parts.chosen_in_the_side_bar(selection)
    first, second, third = (st.container(horizontal=True, vertical_alignment="bottom") for _ in range(3))
    english = form_parts.longest(corpora, HUMAN)
    rest = more.settings(
        "bench", {"bench_text": english, "bench_none": True, "bench_random": False, "bench_protocol": "correct"}
    )
    with rest, st.container(horizontal=True, vertical_alignment="bottom"):
        human = form_parts.corpus("Human text from", corpora, "bench_text", english)
        protocol = form(XferBenchSpec, {}, width=230)["protocol"]
        fresh = st.toggle("No pre-training", value=True, key="bench_none", bind="query-params")
        noise = st.toggle("Random", value=False, key="bench_random", bind="query-params", help="As long as the budget.")
    with first:
        usual = _given(human[1], HUMAN, 1) if len(human[1].tags) > 1 else []  # else no target would be left
        spoken = form_parts.languages("Human sources", human[1], usual, key="bench_from", placeholder="None")
    with second:
        tuned = form_parts.corpus("Targets from", corpora, "bench_target_text", form_parts.longest(corpora, TARGETS))
        usual = _given(tuned[1], TARGETS, FIRST, [] if tuned != human else spoken)
        targets = form_parts.languages("Targets", tuned[1], usual, key="bench_to", placeholder="At least one")
    with third:
        preset = form_parts.preset(
            list(PRESETS),
            key="bench_preset",
            help="Quick: a small model that orders sources, some three minutes each on a CPU. Paper: the published model and "
            "budgets. Custom: your own. Scores of different presets do not compare.",
        )
        seeds = st.number_input("Seeds", 1, 50, 1, key="bench_seeds", bind="query-params", width=110)
    _wikipedia()
    custom = custom_options.choose(protocol) if preset == "custom" else None
    if not targets:
        st.info("Choose a target language.", icon=":material/info:")
        return None
    fields = {
        "sources": form_parts.sources(selection, human, spoken, fresh=fresh),
        "targets": [{"corpus": tuned[1].id, "language": tag, "name": tuned[0][:120]} for tag in targets],
        "preset": preset,
        "protocol": protocol,
        "custom": custom,
        "seeds": list(range(int(seeds))),
    }
    spec = validate(XferBenchSpec, fields)
    if not noise:
        return spec
    return spec.model_copy(update={"sources": distinct((*spec.sources, baselines.random_source(spec.options(0))))})


def _given(entry: CorpusEntry, wanted: tuple[str, ...], most: int, but: list[str] | None = None) -> list[str]:
    """Return the first of the corpus' languages that are wanted, or of any; of those `but` are not."""
    free = [tag for tag in entry.tags if tag not in (but or [])]
    return ([tag for tag in free if tag in wanted] or free)[:most]


def _lacking() -> None:
    st.info("XferBench tunes on human-language text, and no corpus of it is saved yet.", icon=":material/library_add:")
    navigation.to_library("Add text", "Corpora")
    _wikipedia()


def _wikipedia() -> None:
    """The way to the text that the paper's setting is measured on."""
    asked = {"corpus-from": "Wikipedia"}
    navigation.to_library("Fetch text of Wikipedia", "Corpora", icon=":material/cloud_download:", **asked)
