"""How well IGap without task data and the similarity of languages rank transfer directions (tables 1 and 5)."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.experiments.transfer import frames as transfer_frames
from isogloss.backend.experiments.transfer import ranking as transfer_ranking
from isogloss.backend.experiments.transfer.printed import tables as printed
from isogloss.backend.experiments.transfer.ranking import AVERAGE, SCORES, Fixed
from isogloss.backend.experiments.words import count
from isogloss.backend.figures.transfer import ranking as figures
from isogloss.pages.transfer.ranking import missing as ranking_missing
from isogloss.pages.transfer.ranking.data import Sides, choose, gold_of, igap_of, similarity_of
from isogloss.pages.transfer.shared import frames
from isogloss.pages.transfer.shared.cards import RANKING
from isogloss.pages.transfer.shared.selection import BY, Selection
from isogloss.pages.widgets.choosing import more
from isogloss.pages.widgets.choosing.choices import segments, select
from isogloss.pages.widgets.figures import figure
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import workspaces

FIXED: dict[Fixed, str] = {"source": "Source", "target": "Target"}
RANKED = "The language whose directions are ranked: as the source, the best targets for it; as the target, the best sources."
BEST = "best"
LAYER = 7
"""Where the paper takes its vectors from."""


def draw(selection: Selection) -> None:
    """Draw the accuracy of each score by fixed language, or what it lacks; the printed accuracies in any case."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sides = choose(selection)
        if sides is not None:
            fixed = _fixed()
            with more.view_options() as options:
                layer = _layer(sides)
            at, epsilon = frames.window(options)
    if sides is None:
        ranking_missing.say_no_gold(selection, None)
        _show_printed()
        return
    ranking_missing.offer(selection, sides, at, epsilon)
    gold, igap, similarity = gold_of(sides), igap_of(sides, at, epsilon), similarity_of(sides)
    if gold.empty:
        ranking_missing.say_no_gold(selection, sides)
        _show_printed()
        return
    at_layer = _layer_of(layer, similarity)
    ranked = transfer_ranking.ranking(gold, transfer_ranking.predictions(igap, similarity, at_layer), fixed)
    if ranked.empty:
        st.info("Nothing to rank by is computed yet: it is offered above.", icon=":material/info:")
        _show_printed()
        return
    _show(sides, ranked, _python(sides, None if layer == BEST else at_layer, fixed, at, epsilon))
    _say(sides, ranked, gold, igap, similarity, at_layer)
    _table(ranked)


def _fixed() -> Fixed:
    """Return the end of the directions that stays while the other is ranked."""
    return segments("Fixed end", FIXED, "fixed", "source", RANKED)


def _layer(sides: Sides) -> str:
    """Return the layer of the vectors, or `BEST`."""
    options = [BEST, *(str(layer) for layer in range(sides.model.layers + 1))]
    return select(
        "Layer of the vectors",
        options,
        "ranking_layer",
        index=1 + min(LAYER, sides.model.layers),
        width=170,
        named=lambda each: "Best aligned" if each == BEST else each,
        help="Of the three similarities. Best aligned: where most sentences are nearest to their translation.",
    )


def _layer_of(layer: str, similarity: pd.DataFrame) -> int:
    if layer != BEST:
        return int(layer)
    return transfer_ranking.best_aligned_layer(similarity) if len(similarity) else 0


def _python(sides: Sides, layer: int | None, fixed: Fixed, at: float, epsilon: float) -> Recipe:
    """Return the ranking again in Python; `layer` is None for the best aligned one."""
    gold, igap = sides.gold, sides.predicted
    return Recipe(
        (
            partial(
                transfer_frames.ranked_directions,
                workspaces=workspaces(),
                gold=frames.rows_of(gold.runs),
                gold_targets=list(gold.targets),
                igap=frames.rows_of(igap.runs),
                igap_targets=list(igap.targets),
                columns=frames.NAMES,
                by=BY,
                at=at,
                epsilon=epsilon,
                similarities=sides.wanted(),
                layer=layer,
                names=sides.names,
                fixed=fixed,
            ),
        )
    )


def _show(sides: Sides, ranked: pd.DataFrame, code: Recipe) -> None:
    title = f"{sides.model.titled(sides.checkpoint)}: gold by {sides.gold.data.name}, predicted on {sides.corpus.name}"
    drawn = partial(figures.accuracies, title=title)
    name = f"ranked directions {sides.model.name} {sides.checkpoint.label} {sides.gold.data.name}"
    figure.show(
        drawn, name=name, data=ranked, card=RANKING, recipe=code, alt="Accuracy of ranked transfer directions by language"
    )


def _say(
    sides: Sides, found: pd.DataFrame, gold: pd.DataFrame, igap: pd.DataFrame, similarity: pd.DataFrame, layer: int
) -> None:
    """Say which directions and vectors the ranking accuracies rest on, and why IGap has none where it has none."""
    directions = int(found.loc[found["language"] == AVERAGE, "directions"].iloc[0])
    all_of_them = int((gold["source"] != gold["target"]).sum())
    parts = [f"All scores on the same {directions:,} of {count(all_of_them, 'direction')} with a gold accuracy"]
    parts += [f"vectors of layer {layer}"] if len(similarity) else []
    if len(igap) and igap["value"].isna().all():
        lacking = bool((igap["measured"] < igap["models"]).any())
        parts.append(f"IGap has no value in this window: choose {'a narrower' if lacking else 'a wider'} ε or another E′")
    if other := {theirs: own for theirs, own in sides.names.items() if theirs != own}:
        parts.append(", ".join(f"{theirs} stands for {own}" for theirs, own in sorted(other.items())))
    st.caption(verbatim("; ".join(parts) + "."))


def _show_printed() -> None:
    """Draw the paper's ranking accuracies alone."""
    rows = printed.ranking_accuracies()
    drawn = partial(figures.printed, title=f"XNLI, as printed in {printed.source('table 1')}")
    alt = "Printed accuracy of ranked transfer directions by language"
    figure.show(
        drawn,
        name="ranked directions as printed",
        data=rows,
        card=RANKING,
        recipe=Recipe((partial(printed.ranking_accuracies),)),
        alt=alt,
    )
    _table(rows.head(0).assign(directions=0))


def _table(found: pd.DataFrame) -> None:
    """One's own numbers above the printed ones."""
    wide = in_rows(found)
    numbers = {name: st.column_config.NumberColumn(format="%.1f") for name in wide.columns[2:]}
    st.dataframe(
        wide, hide_index=True, height="content", placeholder="–", column_config=numbers, key="ranking-table", alt=figures.TITLE
    )
    st.caption(f"{figures.TITLE}; a language a column: the fixed end. Chance is 50. Tables 1 and 5: {printed.PAPER}.")


def in_rows(ranked: pd.DataFrame) -> pd.DataFrame:
    """A row a score, one's own and printed; a column a fixed language, one's own first; the average leads. In percent."""
    rows = [ranked.assign(of="This workspace")]
    paper = printed.ranking_accuracies()
    for table, task in (("table 1", "XNLI"), ("table 5", "MNLI")):
        rows.append(paper[paper["table"] == table].assign(of=f"{table.capitalize()}, {task}"))
    long = pd.concat([each[["score", "of", "language", "value"]] for each in rows if len(each)], ignore_index=True)
    wide = (100 * long.pivot(index=["of", "score"], columns="language", values="value")).round(1)
    of = list(dict.fromkeys(long["of"]))
    order = [(each, score) for each in of for score in ("IGap", *SCORES[:-1]) if (each, score) in wide.index]
    own = sorted(set(ranked["language"]) - {AVERAGE})
    columns = [AVERAGE, *own, *(tag for tag in wide.columns if tag not in {*own, AVERAGE})]
    wide = wide.loc[order, columns].reset_index().rename(columns={"of": "Of", "score": "Score", AVERAGE: "Average"})
    return wide[["Score", "Of", *(name for name in wide.columns if name not in {"Score", "Of"})]].rename_axis(columns=None)
