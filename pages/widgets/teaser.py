"""One real figure for the home page: the scores of the model that has most of them."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from backend.charts import theme
from backend.charts.grid import Grid, pivot
from backend.charts.heatmap import pair_of_heatmaps
from backend.models import library as models
from backend.models.entry import Model
from backend.store import abx_views, scores
from pages.widgets.workspace import workspaces

TITLES = {"abx_language": "Does the layer tell languages apart?", "abx_meaning": "Does it tell meanings apart?"}


def draw() -> None:
    """Layer × checkpoint heatmaps with the way to the page; nothing where nothing is computed."""
    shards = scores.shards(workspaces(), "abx")
    able = {
        model.name: sum(shard.about.get("model") == model.name for shard in shards) for model in models.entries(workspaces())
    }
    if not any(able.values()):
        return
    model = next(each for each in models.entries(workspaces()) if each.name == max(able, key=lambda name: able[name]))
    newest = next(shard for shard in reversed(shards) if shard.about.get("model") == model.name)
    same = [
        shard
        for shard in shards
        if all(shard.about.get(key) == newest.about.get(key) for key in ("corpus", "languages", "variant", "seed"))
    ]
    cells = [_cells(model, [shard.path for shard in same], newest.about["languages"], metric) for metric in TITLES]
    figure = pair_of_heatmaps(
        *cells,
        colour_titles=("Language discrimination", "Meaning discrimination"),
        title=model.name,
        row_title="Layer",
        column_title="Checkpoint",
        first_row="bottom",
    )
    st.plotly_chart(figure, key="teaser", config=theme.config("abx"), alt=f"ABX scores of {model.name} by layer and checkpoint")


def _cells(model: Model, files: list[Path], languages: list[str], metric: str) -> Grid:
    fingerprints = [checkpoint.fingerprint for checkpoint in model.checkpoints]
    frame = abx_views.grid(files, languages, fingerprints)
    return pivot(
        frame[frame["metric"] == metric],
        row="layer",
        column="checkpoint",
        rows=list(range(model.layers + 1)),
        columns=fingerprints,
        column_labels=[checkpoint.label.removeprefix("checkpoint-") for checkpoint in model.checkpoints],
        title=TITLES[metric],
    )
