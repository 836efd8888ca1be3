"""One real figure for the home page: the scores of the model that has most of them."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from backend.charts.grid import Grid, pivot
from backend.charts.heatmap import pair_of_heatmaps
from backend.charts.parts import theme
from backend.experiments.abx import queries as abx_queries
from backend.models.entry import Model
from backend.models.library import library as models
from backend.store import scores
from pages.widgets.workspace import workspaces

TITLES = {"abx_language": "Does the layer tell languages apart?", "abx_meaning": "Does it tell meanings apart?"}

ALIKE = ("corpus", "languages", "pairs", "variant", "seed")
"""What the files of one figure have in common."""


def draw() -> bool:
    """Draw layer × checkpoint heatmaps; returns whether anything is computed."""
    shards = scores.shards(workspaces(), "abx")
    entries = models.entries(workspaces())
    able = {model.name: sum(shard.provenance.get("model") == model.name for shard in shards) for model in entries}
    if not any(able.values()):
        return False
    model = max(entries, key=lambda entry: able[entry.name])
    newest = [shard for shard in shards if shard.provenance.get("model") == model.name][-1]
    same = [
        shard
        for shard in shards
        if all(
            shard.provenance.get(key) == newest.provenance.get(key)
            for key in ("corpus", "languages", "pairs", "variant", "seed")
        )
    ]
    fingerprints = [checkpoint.fingerprint for checkpoint in model.checkpoints]
    frame = abx_queries.grid([shard.path for shard in same], newest.provenance["languages"], fingerprints)
    cells = [_cells(model, frame[frame["metric"] == metric], title) for metric, title in TITLES.items()]
    figure = pair_of_heatmaps(
        *cells,
        colour_titles=("Language discrimination", "Meaning discrimination"),
        title=model.name,
        row_title="Layer",
        column_title="Checkpoint",
        first_row="bottom",
    )
    st.plotly_chart(figure, key="teaser", config=theme.config("abx"), alt=f"ABX scores of {model.name} by layer and checkpoint")
    return True


def _cells(model: Model, frame: pd.DataFrame, title: str) -> Grid:
    return pivot(
        frame,
        row="layer",
        column="checkpoint",
        rows=list(range(model.layers + 1)),
        columns={each.fingerprint: each.label.removeprefix("checkpoint-") for each in model.checkpoints},
        title=title,
    )
