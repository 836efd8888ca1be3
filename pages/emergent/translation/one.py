"""One source in one setting of the translation check: what its models wrote, and how they learned, are looked at by it."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from backend.experiments.translation import queries as translation_queries
from backend.training.translation.options import SETTINGS
from pages.emergent.shared.controls import box
from pages.emergent.translation.correlating import Translations
from pages.widgets.workspace import workspaces


@dataclass(frozen=True)
class Trained:
    """The trainings of one source in one setting."""

    source: str
    """Its name."""
    setting: str
    runs: pd.DataFrame
    """One row a seed, as `translation_queries.runs` has them."""


def choose(found: Translations) -> Trained:
    """Draw the boxes of the source and of the setting, of those that were trained."""
    runs = translation_queries.runs(workspaces(), found.options, found.corpus, found.pair)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = box("Source", list(found.names.values()), "mt_source", 330)
        source = next(key for key, each in found.names.items() if each == name)
        there = runs[runs["source"] == source]
        settings = [setting for setting in SETTINGS if setting in set(there["setting"])]
        setting = box("Setting", settings, "mt_setting", 160, names=str.capitalize)
    return Trained(name, setting, there[there["setting"] == setting].reset_index(drop=True))
