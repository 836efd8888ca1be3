"""The benchmark's leaderboard: sources at their scores with intervals (figure 2); the paper's on a figure of its own."""

from __future__ import annotations

from functools import partial

import streamlit as st

from isogloss.backend.corpora.parallel import library
from isogloss.backend.experiments.sources.source import NONE
from isogloss.backend.experiments.words import count, several
from isogloss.backend.experiments.xferbench import baselines
from isogloss.backend.experiments.xferbench import frames as xferbench_frames
from isogloss.backend.figures.emergent import benchmark as figures
from isogloss.pages.emergent.benchmark import compare_variants, hypotheses, printed
from isogloss.pages.emergent.benchmark import selection as benchmark
from isogloss.pages.emergent.benchmark.cards import SCORE
from isogloss.pages.emergent.benchmark.selection import Benchmark
from isogloss.pages.emergent.shared.selection import Selection
from isogloss.pages.widgets.choosing.choices import segments
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.runs import compute
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import workspaces


def draw(selection: Selection) -> None:
    """Draw the chosen variant's scores with their 95% intervals, those of a second variant, and the paper's (table 5)."""
    everything, options = benchmark.choose(selection)
    benchmark_scores = None if everything is None else everything.complete()
    with options:
        second = compare_variants.choose(benchmark_scores)
        order = segments("Order", ["By score", "By group"], "board_order", "By score")
        paper = st.toggle("The paper's table 5", value=True, key="board_paper", bind="query-params")
    grouped = order == "By group"
    second = compare_variants.with_scores(second)
    if benchmark_scores is not None and second is not None:
        compare_variants.options(benchmark_scores, second)
    if everything is not None and benchmark_scores is not None:
        _own(benchmark_scores, "XferBench leaderboard", grouped=grouped)
        _rest(everything, benchmark_scores)
        _baselines(benchmark_scores)
        if benchmark_scores.texts:
            hypotheses.draw(benchmark_scores, benchmark_scores.texts)
    if benchmark_scores is not None and second is not None:
        _own(second, "XferBench leaderboard, second variant", grouped=grouped)
        compare_variants.places(benchmark_scores, second)
    if paper:
        printed.leaderboard_figure(grouped=grouped)


def _own(scores: Benchmark, name: str, *, grouped: bool) -> None:
    texts = scores.texts
    if not texts:
        st.info(
            "There is no target that all these sources were scored in, so their means do not compare. Choose fewer sources, or "
            "compute the rest above.",
            icon=":material/info:",
        )
        return
    recipe = scores.recipe(xferbench_frames.leaderboard, texts)
    drawn = partial(
        figures.leaderboard,
        title=f"XferBench here: {scores.label}",
        grouped=grouped,
        baseline=NONE,
        colours=dict(scores.colours),
        notes=scores.notes,
    )
    figure.draw(
        recipe.with_chart(drawn),
        name=name,
        card=SCORE,
        alt="XferBench scores of the sources with 95% intervals, lower is better",
        one_seed="targets" if (cooked.rows(recipe)["seeds"] <= 1).any() else "",
    )
    st.caption(_caption(scores, texts))


def _rest(everything: Benchmark, drawn: Benchmark) -> None:
    """Name what is not `drawn`, since sources and targets would lack scores of each other, and offer its sources."""
    sources = {key: verbatim(name) for key, name in everything.names.items() if key not in drawn.names}
    targets = [name for text, name in everything.targets.items() if text not in drawn.targets]
    if not sources and not targets:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        left = several([*sources.values(), *map(verbatim, targets)])
        st.caption(f"Left out, so that all have the same targets: {left}.", width="content")
        rest = everything.around(next(iter(sources))).names.values() if sources else targets
        values = {benchmark.SOURCES if sources else benchmark.TARGETS: list(rest)}
        st.button("Show", key="board_rest", type="tertiary", on_click=st.session_state.update, args=(values,))


def _baselines(scores: Benchmark) -> None:
    """Offer the baselines that are lacking, in those of the targets whose text is saved."""
    saved = {f"{entry.id}/{tag}": entry.name for entry in library.entries(workspaces()) for tag in entry.tags}
    texts = {text: saved[text] for text in scores.texts if text in saved}
    spec = baselines.lacking(scores.variant, scores.groups, texts, workspaces())
    if spec is None:
        return
    names = " and ".join(f"*{source.label.partition(',')[0]}*" for source in spec.sources)
    sentence = f"Add as {'baselines' if len(spec.sources) > 1 else 'a baseline'}: {names}. A score says little without."
    compute.offer(spec, sentence, verb="Start", before=partial(baselines.keep_random, spec, workspaces()))


def _caption(scores: Benchmark, texts: list[str]) -> str:
    over = ", ".join(verbatim(scores.targets[text]) for text in texts)
    lacking = len(scores.targets) - len(texts)
    left = f" Left out, since not every source has it: {count(lacking, 'target')}." if lacking else ""
    intervals = "" if len(texts) > 1 and len(scores.names) > 1 else " Intervals need two targets and two sources."
    return f"Mean over {over}.{left}{intervals} In colour: emergent languages chosen in the side bar.{scores.folded}"
