"""One pair of languages at one layer: its numbers over the layers, and the sentences it confuses most."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from backend.experiments.abx import confusions
from backend.experiments.abx.confusions import ConfusionsSpec
from backend.models.entry import Checkpoint
from pages.shared.abx.selection import Selection
from pages.widgets import compute, prefixes
from pages.widgets.lines import line
from pages.widgets.selecting import language_name
from pages.widgets.workspace import workspaces

TASKS = {
    "meaning": ("Meaning", "its translation", "another sentence that lies nearer"),
    "language": ("Language", "a sentence of its own language", "the sentence in the other language that is nearer"),
}


def choose(selection: Selection) -> tuple[str, str]:
    """Return the two select boxes: the pair's languages, in the order chosen."""
    st.subheader("One pair", anchor="pair")
    tags = list(selection.languages)
    first, second = (selection.pairs or (tags[:2],))[0]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for key in ("pair_source", "pair_target"):
            if st.session_state.get(key) not in [None, *tags]:
                del st.session_state[key]
        source = st.selectbox(
            "Language",
            tags,
            index=tags.index(first),
            format_func=language_name,
            key="pair_source",
            bind="query-params",
            width=220,
        )
        target = st.selectbox(
            "and", tags, index=tags.index(second), format_func=language_name, key="pair_target", bind="query-params", width=220
        )
    return source, target


def draw(selection: Selection, checkpoint: Checkpoint, layer: int, data: pd.DataFrame, source: str, target: str) -> None:
    """Draw the pair's ABX scores at this layer, and its most confused sentences."""
    if source == target:
        st.caption("Choose two different languages.")
        return
    first, second = sorted((source, target))
    row = data[(data["source"] == first) & (data["target"] == second)]
    if row.empty:
        st.caption("This pair is not among those chosen.")
        return
    _numbers(row.iloc[0])
    _confusions(selection, checkpoint, layer, source, target)


def _numbers(row: pd.Series) -> None:
    with st.container(horizontal=True):
        for name in ("language", "meaning"):
            interval = (
                f"{row[f'{name}_low']:.3f} to {row[f'{name}_high']:.3f}" if pd.notna(row[f"{name}_low"]) else "no interval"
            )
            st.metric(f"{name.capitalize()} discrimination", f"{row[name]:.3f}", interval, delta_color="off", delta_arrow="off")
        if pd.notna(row["retrieval"]):
            st.metric(
                "Retrieval, top-1",
                f"{row['retrieval']:.3f}",
                f"{int(row['n'])} sentences",
                delta_color="off",
                delta_arrow="off",
            )


def _confusions(selection: Selection, checkpoint: Checkpoint, layer: int, source: str, target: str) -> None:
    spec = ConfusionsSpec(
        checkpoint=checkpoint,
        corpus=selection.corpus.id,
        languages=selection.languages,
        pooling=selection.pooling,
        layer=layer,
        source=source,
        target=target,
        prefix=prefixes.at(selection.prefixes, [checkpoint]),
    )
    sentence = "Most confused sentences of this pair: not computed yet."
    found = compute.loaded(partial(confusions.load, spec, workspaces()), spec, sentence, "confusions")
    if found is None:
        return
    task = st.segmented_control(
        "Confused in",
        list(TASKS),
        default="meaning",
        format_func=lambda name: TASKS[name][0],
        required=True,
        key="task",
        bind="query-params",
    )
    shown = found[(found["task"] == (task or "meaning")) & (found["source"] == source)].head(12)
    _, right, wrong = TASKS[task or "meaning"]
    st.caption(f"Each sentence, {right}, and {wrong}. Margin: similarity to the first less to the second; below 0 is an error.")
    if shown.empty or (shown["margin"] >= 0).all():
        st.success("No triplet of this pair is wrong at this layer.", icon=":material/check_circle:")
    for _, each in shown.iterrows():
        with st.container(border=True):
            right_language, wrong_language = (target, target) if (task or "meaning") == "meaning" else (source, target)
            line(each["anchor"], source)
            line(each["right"], right_language, f"should be nearer · {each['similarity_right']:.3f}")
            line(each["wrong"], wrong_language, f"is nearer · {each['similarity_wrong']:.3f} · margin {each['margin']:+.3f}")
