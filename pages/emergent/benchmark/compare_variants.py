"""A second variant beside the first: figures of their own, and what does compare, the places of their sources."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe, argument
from isogloss.backend.experiments.sources.groups import GROUPS
from isogloss.backend.experiments.words import count
from isogloss.backend.experiments.xferbench import compare as xferbench_compare
from isogloss.backend.experiments.xferbench import options as xferbench_options
from isogloss.backend.experiments.xferbench import queries as xferbench_queries
from isogloss.backend.figures.emergent import cells as figures
from isogloss.backend.metrics.correlation import spearman
from isogloss.pages.emergent.benchmark import selection as benchmark
from isogloss.pages.emergent.benchmark.cards import CHANGES, PLACES
from isogloss.pages.emergent.benchmark.selection import Benchmark
from isogloss.pages.shared import answers, source_names
from isogloss.pages.widgets.choosing.choices import start_index
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import workspaces

KEY = "variant_2"
NOTE = "Cross-entropies of two variants do not compare: each has its own figure and scale. The ranks of sources do."


def choose(found: Benchmark | None) -> Benchmark | None:
    """Draw the select box of a second variant, if any; returns its scores for the sources and targets of the first."""
    if found is None:
        return None
    labels = source_names.variant_labels(answers.asked(xferbench_queries.variants), KEY)
    others = [label for label, variant in labels.items() if variant != found.variant]
    if not others:
        return None
    label = st.selectbox(
        "Compare with",
        others,
        index=start_index(KEY, [None, *others]) or None,
        key=KEY,
        bind="query-params",
        placeholder="No other variant",
        width=230,
        help="Another preset, protocol or other options, for the same sources.",
    )
    if label is None:
        return None
    return benchmark.of_variant(labels[label], label, found.names, found.targets, found.colours)


def with_scores(second: Benchmark | None) -> Benchmark | None:
    """Return the second where it has scores; say so where it has none."""
    if second is None or not second.cells.empty:
        return second
    st.info(
        f"{verbatim(second.label)} has no score of these sources in these targets: nothing to compare.", icon=":material/info:"
    )
    return None


def options(found: Benchmark, second: Benchmark) -> None:
    """Tabulate what the two variants differ in, and say that their values do not compare."""
    both = [xferbench_options.of_variant(each.variant, workspaces()) for each in (found, second)]
    st.info(NOTE, icon=":material/compare_arrows:")
    if both[0] is None or both[1] is None:
        return
    rows = xferbench_options.differences(both[0], both[1])
    if len(rows) <= 2:
        st.caption("They differ in: " + "; ".join(f"{name}, {one} and {other}" for name, one, other in rows) + ".")
        return
    with st.expander(f"What they differ in: {len(rows)} options", icon=":material/difference:"):
        st.dataframe(
            pd.DataFrame(rows, columns=["Option", found.label, second.label]),
            hide_index=True,
            key="variant-options",
            alt="The options in which the two variants differ",
        )


def places(found: Benchmark, second: Benchmark) -> None:
    """Draw the table of places: a row a source that both have."""
    recipe = _recipe(xferbench_compare.places, found, second)
    data = cooked.rows(recipe)
    if len(data) < 2:
        st.info(
            "The two have fewer than two sources in the same targets in common: no places to compare.", icon=":material/info:"
        )
        return
    st.markdown("**Places of the sources that both have**")
    number = st.column_config.NumberColumn
    st.dataframe(
        data.assign(group=data["group"].map(GROUPS)).drop(columns="source"),
        hide_index=True,
        key="variant-places",
        column_config={
            "name": st.column_config.TextColumn("Source", pinned=True),
            "group": "Group",
            "first": number("First, nats", format="%.3f", help=f"{found.label}; mean over the targets that both have."),
            "first_place": number("First, place", format="%g", help=f"In {found.label}; 1 = lowest, best."),
            "second": number("Second, nats", format="%.3f", help=f"{second.label}; not on the first's scale."),
            "second_place": number("Second, place", format="%g", help=f"In {second.label}; 1 = lowest, best."),
            "change": number("Change", format="%+g", help="Of place. Above 0: further down in the second."),
        },
        alt=f"Places of the sources in {found.label} and in {second.label}",
    )
    figure.beside(name="XferBench places in two variants", card=PLACES, recipe=recipe)
    st.caption(_agreement(found, second, data))


def _agreement(found: Benchmark, second: Benchmark, data: pd.DataFrame) -> str:
    ours, _ = xferbench_compare.common(found.cells, second.cells)
    targets = ours.groupby(["corpus", "target"]).ngroups
    over = f"{count(len(data), 'source')} in {count(targets, 'target')} that both have."
    over = f"First: {found.label}. Second: {second.label}. {over}"
    ranked = spearman(data["first"], data["second"])
    if ranked.value != ranked.value:
        return over
    interval = f" (95% interval {ranked.low:+.2f} to {ranked.high:+.2f})" if ranked.low == ranked.low else ""
    return f"{over} Spearman's correlation of the two orders: {ranked.value:+.2f}{interval}."


def difference(found: Benchmark, second: Benchmark) -> None:
    """Draw the heatmap of what does compare: normalised values, the first minus the second, over what both have."""
    recipe = _recipe(xferbench_compare.cells, found, second)
    if cooked.rows(recipe)["difference"].isna().all():
        st.info(
            "The two have fewer than two sources in the same targets in common: no difference to draw.", icon=":material/info:"
        )
        return
    title = f"Difference, normalised: {found.label} − {second.label}"
    figure.draw(
        recipe.with_chart(partial(figures.difference, targets=dict(found.targets), title=title)),
        name="XferBench normalised cells of two variants, difference",
        card=CHANGES,
        alt=f"Difference of normalised cross-entropy, {found.label} − {second.label}, from every source to every target",
    )
    st.caption("Normalised within each variant over the sources that both have: places among the others, not nats.")


def _recipe(compare: Callable[..., pd.DataFrame], found: Benchmark, second: Benchmark) -> Recipe:
    """Return the recipe of what `compare` makes of the two."""
    (others,) = benchmark.cells_of(second.variant, found.names, second.targets).calls
    return found.recipe(compare, second=argument(others))
