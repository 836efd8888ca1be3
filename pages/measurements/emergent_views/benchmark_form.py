"""What XferBench is to compute: the form of a new run, its price, and a button that trains just what is not there."""

from __future__ import annotations

import time

import streamlit as st
from pydantic import ValidationError

from backend.corpora import library
from backend.corpora.library import CorpusEntry
from backend.errors import SpecError
from backend.experiments import xferbench, xferbench_estimate
from backend.experiments.estimate import Estimate
from backend.experiments.spec import first_problem
from backend.experiments.xferbench_spec import (
    EXPERIMENT,
    EmergentSource,
    NoPretraining,
    Preset,
    Target,
    TextSource,
    XferBenchSpec,
)
from backend.jobs import client
from backend.published.xferbench import LANGUAGES
from backend.settings import settings
from backend.store import scores
from backend.training.language_model.options import Protocol
from pages.measurements.emergent_views import custom_options, trainings
from pages.measurements.emergent_views.selection import Selection
from pages.widgets import compute, job_list
from pages.widgets.choices import start
from pages.widgets.selecting import language_name, unique_names
from pages.widgets.words import count, plain
from pages.widgets.workspace import guard, workspaces

PRESETS: dict[str, Preset] = {"Quick": "quick", "Paper": "paper", "Custom": "custom"}
PROTOCOLS: dict[str, Protocol] = {"Correct": "correct", "As the released code": "released"}
LIBRARY = "pages/workspace/library.py"
FIRST = 3
"""Targets that are chosen where nobody chose yet."""
PAPER_TARGETS = tuple(each.tag for each in LANGUAGES.values())[7:]


def offer(selection: Selection, *, expanded: bool) -> None:
    """Runs that are under way, watched; then the form in an expander: what it asks for is priced and computed at a press."""
    with guard():
        recent = client.jobs(settings(), compute.RECENT)
    active = [job for job in recent if job_list.is_active(job) and job.spec.get("experiment") == EXPERIMENT]
    for job in active:
        compute.watch(job.id, job.done, time.time())
    with st.expander("XferBench", icon=":material/leaderboard:", expanded=expanded):
        with guard():
            corpora = unique_names(library.entries(workspaces()))
        if not corpora:
            _lacking()
            return
        try:
            spec = _spec(selection, corpora)
        except SpecError as error:
            st.error(plain(str(error)), icon=":material/error:")
            return
        if spec is not None:
            _offer(spec, {shard for job in active for shard in job.shards})


def _spec(selection: Selection, corpora: dict[str, CorpusEntry]) -> XferBenchSpec | None:
    """What the form says; None, which is said, while it lacks something. Raises `SpecError` for what does not go together."""
    st.caption(f"From the {count(len(selection.corpora), 'corpus', 'corpora')} chosen in the side bar, and from:")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        human = _text("Human text from", corpora, "bench_text")
        spoken = st.multiselect(
            "Human sources", human[1].tags, default=_given(human[1], ["en"], 1), format_func=language_name,
            key=f"bench_from_{human[1].id[:6]}", bind="query-params", placeholder="None",
        )  # fmt: skip
        fresh = st.toggle("No pre-training", value=True, key="bench_none", bind="query-params")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        tuned = _text("Targets from", corpora, "bench_target_text")
        targets = st.multiselect(
            "Targets", tuned[1].tags, default=_given(tuned[1], PAPER_TARGETS, FIRST, [] if tuned != human else spoken),
            format_func=language_name, key=f"bench_to_{tuned[1].id[:6]}", bind="query-params", placeholder="At least one",
        )  # fmt: skip
    _wikipedia()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        preset = st.segmented_control(
            "Preset", list(PRESETS), default="Quick", key="bench_preset", bind="query-params", required=True,
            help="Quick: a small model that orders sources in minutes on a CPU. Paper: the published model and budgets. "
            "Custom: your own. Scores of different presets do not compare.",
        )  # fmt: skip
        protocol = st.selectbox(
            "Protocol", list(PROTOCOLS), key="bench_protocol", bind="query-params", width=210,
            help="Correct: held-out text is never seen, each of its tokens scored once. The released code does otherwise.",
        )  # fmt: skip
        seeds = st.number_input("Seeds", 1, 50, 1, key="bench_seeds", bind="query-params", width=110)
    try:
        custom = custom_options.choose(PROTOCOLS[protocol]) if preset == "Custom" else None
        if not targets:
            st.info("Choose a target language.", icon=":material/info:")
            return None
        return XferBenchSpec(
            sources=(
                *(EmergentSource(corpus=entry.id, name=name[:120]) for name, entry in selection.corpora.items()),
                *(TextSource(corpus=human[1].id, language=tag, name=human[0][:120]) for tag in spoken),
                *((NoPretraining(),) if fresh else ()),
            ),
            targets=tuple(Target(corpus=tuned[1].id, language=tag, name=tuned[0][:120]) for tag in targets),
            preset=PRESETS[preset],
            protocol=PROTOCOLS[protocol],
            custom=custom,
            seeds=tuple(range(int(seeds))),
        )
    except ValidationError as error:
        raise first_problem(error) from error


def _text(label: str, corpora: dict[str, CorpusEntry], key: str) -> tuple[str, CorpusEntry]:
    name = st.selectbox(label, list(corpora), index=start(key, list(corpora)), key=key, bind="query-params", width=220)
    return name, corpora[name]


def _given(entry: CorpusEntry, wanted: list[str] | tuple[str, ...], most: int, but: list[str] | None = None) -> list[str]:
    """The first of the corpus' languages that are wanted, or of any; of those `but` are not."""
    free = [tag for tag in entry.tags if tag not in (but or [])]
    return ([tag for tag in free if tag in wanted] or free)[:most]


def _offer(spec: XferBenchSpec, under_way: set[str]) -> None:
    with guard():
        lacking = xferbench.missing(spec, workspaces())
    trainings.offer(
        spec, lacking, under_way, of="score", name="**XferBench**", across=(len(spec.targets), "target"), price=_price,
        changed={"custom": None}, key=f"bench-{spec.id}",
    )  # fmt: skip


def _price(spec: XferBenchSpec, worker: dict[str, object]) -> Estimate | None:
    pieces = [spec.shards()[key] for key in xferbench.missing(spec, workspaces())]
    earlier = scores.shards(workspaces(), "emergent")
    return xferbench_estimate.xferbench(pieces, library.entries(workspaces()), worker, earlier)


def _lacking() -> None:
    st.info("XferBench tunes on human-language text, and no corpus of it is kept yet.", icon=":material/library_add:")
    st.page_link(LIBRARY, label="Add text", icon=":material/library_books:", query_params={"shelf": "Corpora"})
    _wikipedia()


def _wikipedia() -> None:
    """The way to the text that the paper's setting is measured on."""
    asked = {"shelf": "Corpora", "corpus-from": "Wikipedia"}
    st.page_link(LIBRARY, label="Fetch text of Wikipedia", icon=":material/cloud_download:", query_params=asked)
