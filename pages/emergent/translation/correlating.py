"""Which machine-translation scores are looked at: one group, never two in a table, and one metric; all in the URL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.corpora.parallel import library
from isogloss.backend.experiments.sources.groups import GROUPS, Group
from isogloss.backend.experiments.sources.source import PRESETS
from isogloss.backend.experiments.translation import queries as translation_queries
from isogloss.backend.experiments.translation.spec import pair_label
from isogloss.backend.experiments.xferbench import folding as xferbench_folding
from isogloss.backend.experiments.xferbench import queries as xferbench_queries
from isogloss.backend.training.translation.options import SETTINGS, SPECIAL
from isogloss.pages.emergent.benchmark import selection as benchmark
from isogloss.pages.emergent.shared.selection import Selection
from isogloss.pages.shared import answers
from isogloss.pages.shared.source_names import folding_note, groups_of, names_of
from isogloss.pages.widgets.choosing.choices import segments, select
from isogloss.pages.widgets.choosing.selecting import unique_names
from isogloss.pages.widgets.figures import cooked
from isogloss.pages.widgets.workspace import workspaces

METRICS = {"chrF": "chrf", "BLEU": "bleu"}


@dataclass(frozen=True)
class Translations:
    """Scores of one group."""

    options: str
    corpus: str
    pair: str
    label: str
    """The group in words."""
    rows: pd.DataFrame
    """As `translation_queries.translations` has them."""
    runs: pd.DataFrame
    """As `translation_queries.runs` has them."""
    names: Mapping[str, str]
    """Of the sources, by their keys."""
    groups: Mapping[str, Group]
    own: tuple[str, ...]
    """The emergent languages among the sources that are chosen in the side bar."""
    folded: str
    """A sentence on the sources that had more symbols than the model has embeddings; empty where none had."""

    def recipe(self, step: Callable[..., pd.DataFrame], **more: Any) -> Recipe:
        """Return the recipe of what `step` makes of the scores of this group and the sources' names and groups."""
        named = partial(step, names=dict(self.names), groups=dict(self.groups), **more)
        return Recipe((scores(self.options, self.corpus, self.pair), named))


@dataclass(frozen=True)
class Trained:
    """The trainings of one source in one setting."""

    source: str
    """Its name."""
    setting: str
    runs: pd.DataFrame
    """One row a seed, as `translation_queries.runs` has them."""


def scores(options: str, corpus: str, pair: str) -> partial[pd.DataFrame]:
    """Make the call that reads the scores of a group."""
    return partial(translation_queries.translations, workspaces=workspaces(), options=options, corpus=corpus, pair=pair)


def metric() -> str:
    """Choose what the table and the figures show: `chrF` or `BLEU`."""
    return segments("Metric", list(METRICS), "mt_metric", "chrF")


def choose(selection: Selection) -> Translations | None:
    """Draw the box of groups; None, without it, where there are no scores."""
    known = answers.asked(translation_queries.groups)
    if known.empty:
        return None
    labels = _labels(known)
    label = select(
        "Scores",
        list(labels),
        "mt_scores",
        width=390,
        help="Preset, languages, text and digits of all options. Others do not compare.",
    )
    row = labels[label]
    rows = cooked.value(scores(row["options"], row["corpus"], row["pair"]))
    names, groups = names_of(rows["source"].unique()), groups_of(rows["source"].unique())
    places = list(GROUPS)
    sources = sorted(names, key=lambda key: (places.index(groups[key]), names[key]))
    chosen = {entry.id for entry in selection.corpora.values()}
    emergent_sources = tuple(key for key in sources if key in chosen and groups[key] == "emergent")
    runs = answers.asked(translation_queries.runs, **{name: row[name] for name in ("options", "corpus", "pair")})
    foldings = xferbench_folding.of_bases(runs, workspaces(), SPECIAL)
    ordered = {key: names[key] for key in sources}
    return Translations(
        row["options"],
        row["corpus"],
        row["pair"],
        label,
        rows,
        runs,
        ordered,
        groups,
        emergent_sources,
        folding_note(ordered, foldings),
    )


def choose_trained(found: Translations) -> Trained:
    """Draw the boxes of the source and of the setting, of those that were trained."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = select("Source", list(found.names.values()), "mt_source", width=330)
        own = found.runs[found.runs["source"].map(found.names) == name]
        settings = [setting for setting in SETTINGS if setting in set(own["setting"])]
        setting = select("Setting", settings, "mt_setting", width=160, named=str.capitalize)
    return Trained(name, setting, own[own["setting"] == setting].reset_index(drop=True))


def variant() -> tuple[str, str] | None:
    """Choose the XferBench scores that translations are set against, and what they are called; None where there are none."""
    known = answers.asked(xferbench_queries.variants)
    if known.empty:
        return None
    about = "The scores that translations are set against: the mean over the targets that all these sources have."
    return benchmark.variant_of(known, "XferBench", about)


def _labels(known: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Return each group by what the select box and the link call it, the newest first."""
    corpora = {entry.id: name for name, entry in unique_names(library.entries(workspaces())).items()}
    groups = {}
    for row in known.to_dict("records"):
        corpus = corpora.get(row["corpus"], row["corpus"][:6])
        label = f"{PRESETS.get(row['preset'], row['preset'])}, {pair_label(row['pair'])}, {corpus} ({row['digits']})"
        groups[label if label not in groups else f"{label} {row['corpus'][:6]}"] = {str(key): row[key] for key in row}
    return groups
