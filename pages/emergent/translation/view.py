"""The machine-translation check: what each source is worth to a translator, against its XferBench score (figure 3)."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from isogloss.backend.boards.recipe import argument
from isogloss.backend.experiments.sources.groups import GROUPS
from isogloss.backend.experiments.translation import frames as translation_frames
from isogloss.backend.experiments.words import count
from isogloss.backend.experiments.xferbench import correlations as source_correlations
from isogloss.backend.experiments.xferbench import queries as xferbench_queries
from isogloss.backend.figures.emergent import translation as figures
from isogloss.backend.training.translation.options import MEANINGS, SETTINGS
from isogloss.pages.emergent.benchmark import printed
from isogloss.pages.emergent.benchmark.cards import TRANSLATION
from isogloss.pages.emergent.learning import models
from isogloss.pages.emergent.shared.selection import Selection
from isogloss.pages.emergent.translation import correlating as translating
from isogloss.pages.emergent.translation import examples
from isogloss.pages.emergent.translation import form as translation_form
from isogloss.pages.emergent.translation.cards import AGAINST
from isogloss.pages.emergent.translation.correlating import METRICS, Translations
from isogloss.pages.widgets.choosing import more
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import workspaces

Number = st.column_config.NumberColumn


def draw(selection: Selection) -> None:
    """Draw the form, then translation scores as a table and against XferBench, and the paper's below."""
    translation_form.offer(selection)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        translations = translating.choose(selection)
        with more.view_options():
            against = translating.variant() if translations is not None else None
            metric = translating.metric()
            paper = st.toggle("The paper's figure 3", value=True, key="board_paper", bind="query-params")
    if translations is None:
        st.info(
            "No translation model is trained yet. Train some under “Machine translation”, or see the paper's figure below.",
            icon=":material/info:",
        )
    else:
        _table(translations, metric)
        _scatter(translations, metric, against)
    if paper:
        printed.translation_figure(metric)
    if translations is not None:
        examples.draw(translations, models.TRANSLATION)


def _table(translations: Translations, metric: str) -> None:
    recipe = translations.recipe(translation_frames.table, metric=METRICS[metric])
    data = cooked.rows(recipe)
    shown = data.assign(group=data["group"].map(GROUPS)).drop(columns="source")
    columns: dict[str, Any] = {
        name: Number(label, format="%.1f", help=f"{metric}, percent; higher = better. {MEANINGS[name]}.")
        for name, label in SETTINGS.items()
    }
    st.dataframe(
        shown,
        hide_index=True,
        key="mt-table",
        placeholder="–",
        alt=f"{metric} of every source in every setting, higher is better",
        column_config={
            "name": st.column_config.TextColumn("Pre-trained on", pinned=True),
            "group": "Group",
            **columns,
            "seeds": Number("Seeds", help="Fewest trainings (seeds) that any mean in the row is over."),
        },
    )
    figure.beside(name=f"Translation by source and setting, {metric}", card=TRANSLATION, recipe=recipe)
    lacking = " –: not computed." if data.isna().any(axis=None) else ""
    sentences = int(translations.rows["n"].min())
    st.caption(
        f"{verbatim(translations.label)}: {metric} of {count(sentences, 'held-out sentence')}, percent, mean over the widths "
        f"of the beam search; higher = better.{lacking}{translations.folded}"
        + (" With Quick, only Frozen tells sources apart." if translations.label.startswith("Quick") else "")
    )


def _scatter(translations: Translations, metric: str, against: tuple[str, str] | None) -> None:
    variant, title = against or ("", "")
    scores = partial(xferbench_queries.cross_entropies, workspaces=workspaces(), variant=variant)
    if not set(cooked.value(scores)["source"]) & set(translations.names):
        st.info(
            "None of these sources has an XferBench score to compare with. Train some in the view “Leaderboard”.",
            icon=":material/info:",
        )
        return
    recipe = translations.recipe(source_correlations.join_translation_scores, metric=METRICS[metric], cells=argument(scores))
    data = cooked.rows(recipe)
    if data.empty:
        st.info(
            "These sources share no target that XferBench was run on, so their scores do not compare.", icon=":material/info:"
        )
        return
    title = f"Translation and XferBench here: {title}"
    drawn = partial(figures.against_xferbench, metric=metric, title=title, highlighted=list(translations.own))
    figure.draw(
        recipe.with_chart(drawn),
        name=f"Translation against XferBench, {metric}",
        card=AGAINST,
        alt=f"{metric} against XferBench scores, a point a source, a panel a setting",
    )
    if lacking := len(translations.names) - data["source"].nunique():
        st.caption(f"Without an XferBench score, and not drawn: {count(lacking, 'source')}.")
