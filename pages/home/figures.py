"""One living figure of each family, of one's own newest scores or the demo's, each with a link to its page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from backend.charts import glance as small
from backend.charts.parts import theme
from backend.corpora.emergent import library as emergent_library
from backend.corpora.languages.languages import language
from backend.experiments import glance
from backend.experiments.family import Family
from backend.experiments.registry import FAMILIES
from backend.files import digest
from backend.models.entry import Model
from backend.models.library import library as models
from backend.store import scores
from backend.store.shard_files import ShardFile
from pages.shared import source_names
from pages.widgets import fitted, navigation
from pages.widgets.choosing import results
from pages.widgets.server import keyed
from pages.widgets.workspace import workspaces

ACROSS = 3
QUESTIONS = {
    "abx": "Does a layer tell languages apart?",
    "alignment": "Is a word nearest to its translation?",
    "probing": "Which tags can a layer tell?",
    "transfer": "What is lost from language to language?",
    "emergent": "Which pre-trains best? Lower is better.",
    "relations": "Which measures go together?",
}


@dataclass(frozen=True)
class Shown:
    """A figure and what it is of."""

    figure: go.Figure
    of: str
    """Model and checkpoint, or the benchmark's variant."""


def draw() -> None:
    """Draw the figures in rows, each under its question and its link; a family without scores is a link alone."""
    places = [family for family in FAMILIES if family.menu]
    entries = models.entries(workspaces())
    names = [(entry.id, entry.name) for entry in emergent_library.entries(workspaces())]
    files = [(str(file.path), file.modified) for file in scores.shards(workspaces())]
    known = digest([files, names, [model.model_dump() for model in entries]])
    with st.container(key="glances"):  # a name that the style sheet knows
        for start in range(0, len(places), ACROSS):
            for column, family in zip(st.columns(ACROSS, gap="medium"), places[start : start + ACROSS], strict=False):
                with column, st.container(gap=None):
                    _glance(family, known, entries)


def _glance(family: Family, known: str, entries: Sequence[Model]) -> None:
    """Draw one family's link, question and figure."""
    assert family.menu is not None
    st.page_link(navigation.page_of(family.name), label=f"**{family.menu.title}**", icon=family.menu.icon)
    figure_of_family = _made(family.name, known, entries)
    question = QUESTIONS.get(family.name, family.menu.link)
    empty = family.name in FIGURES and not figure_of_family
    st.caption(f"{question} Nothing is computed yet." if empty else question)
    if figure_of_family:
        config = {**theme.config(family.name), "displayModeBar": False}
        fitted.chart(figure_of_family.figure, f"glance-{family.name}", config=config, alt=f"{question} {figure_of_family.of}")


@st.cache_resource(show_spinner=False, max_entries=60)
def _made(family: str, known: str, _entries: Sequence[Model]) -> Shown | None:  # noqa: ARG001 — `known` is the key
    """Return a family's figure, drawn once for what is `known`: the scores, the models and the names.

    Where one's own results give none, it is the demo's. None where there is none, or where the family has no figure here.
    """
    if family not in FIGURES:
        return None
    have = scores.shards(workspaces(), "abx" if family == "relations" else family)
    shipped = [file for file in have if results.of_demo(file)]
    return FIGURES[family](have, _entries) or FIGURES[family](shipped, _entries)


def _last(files: Sequence[ShardFile], entries: Sequence[Model]) -> tuple[list[ShardFile], str]:
    """Return the files of the last checkpoint of the model that a page opens on, and its name; none where there are none."""
    first = results.initial_selection(files, entries, {file.provenance["corpus"] for file in files})
    # Of the demo's the deepest: the real one, where it was measured.
    of_demo = sorted((model for model in entries if not first.own), key=lambda model: (-model.layers, model.name))
    for model in first.models if first.own else of_demo:
        for checkpoint in reversed(model.checkpoints):
            on_it = [file for file in files if file.provenance["fingerprint"] == checkpoint.fingerprint]
            corpora = [file.provenance["corpus"] for file in on_it]
            corpus = first.corpus if first.own else max(corpora, key=corpora.count, default=None)
            if found := [file for file in on_it if file.provenance["corpus"] == corpus]:
                label = f", {checkpoint.label}" if len(model.checkpoints) > 1 else ""
                return found, f"{model.name}{label}"
    return [], ""


def _rows(query: Callable[..., pd.DataFrame], files: Sequence[ShardFile], metrics: Sequence[str]) -> pd.DataFrame:
    return keyed.rows(query, [(file.path, file.modified) for file in files], metrics=list(metrics))


def _over_layers(
    files: Sequence[ShardFile], model_name: str, names: dict[str, str], y: str, chance: float | None = None
) -> Shown | None:
    """Draw the metrics that there are (by `names`) as lines over layers."""
    found = _rows(glance.by_layer, files, list(names))
    series = {
        name: (rows["layer"].tolist(), rows["value"].tolist())
        for metric, name in names.items()
        if len(rows := found[found["metric"] == metric])
    }
    return Shown(small.lines(series, x=f"Layer · {model_name}", y=y, chance=chance), model_name) if series else None


def _abx(have: Sequence[ShardFile], entries: Sequence[Model]) -> Shown | None:
    files, of = _last(have, entries)
    names = {"abx_language": "Languages", "abx_meaning": "Meanings"}
    return _over_layers(files[-1:], of, names, "Share of triplets", 0.5) if files else None


def _alignment(have: Sequence[ShardFile], entries: Sequence[Model]) -> Shown | None:
    files, model_name = _last(have, entries)
    if not files:
        return None
    words = [file for file in files if str(file.provenance.get("variant", "word")).startswith("word")]
    unit = "word" if words else "sentence"
    names = {f"{unit}_weak": "Weak", f"{unit}_strong": "Strong"}
    return _over_layers(glance.alike(words or files), model_name, names, f"Share of {unit}s")


def _probing(have: Sequence[ShardFile], entries: Sequence[Model]) -> Shown | None:
    files, of = _last(have, entries)
    own = [file for file in files if file.provenance["targets"] == [file.provenance["source"]]]
    names = {"probe_accuracy": "Probe", "control_accuracy": "Control task"}
    return _over_layers(glance.alike(own or files), of, names, "Accuracy") if files else None


def _transfer(have: Sequence[ShardFile], entries: Sequence[Model]) -> Shown | None:
    files, model_name = _last(have, entries)
    found = _rows(glance.by_pair, files, ["igap", "transfer_accuracy"]) if files else pd.DataFrame()
    if found.empty:
        return None
    has_igap = (found["metric"] == "igap").any()
    metric, unit = ("igap", "IGap, points") if has_igap else ("transfer_accuracy", "Test accuracy, %")
    found = found[found["metric"] == metric]
    usual = found["variant"].mode().iloc[0]  # numbers of two do not mix
    of_one = found[found["variant"] == usual]
    table = (100 * of_one.pivot(index="source", columns="target", values="value")).sort_index()
    rows, columns = table.index.tolist(), table.columns.tolist()
    figure = small.cells(rows, columns, table.to_numpy(), x=f"Evaluated in · {model_name}", y="Trained on", unit=unit)
    return Shown(figure, f"{model_name}, {usual.split('/')[2]}")


def _emergent(_have: Sequence[ShardFile], _entries: Sequence[Model]) -> Shown | None:
    means = glance.by_source(workspaces())
    if means.empty:
        return None
    names = source_names.names_of(means.index)
    figure = small.ranked([names[key] for key in means.index], means.tolist(), x="Nats per token")
    return Shown(figure, "XferBench")


def _relations(have: Sequence[ShardFile], entries: Sequence[Model]) -> Shown | None:
    files, model_name = _last(have, entries)
    found = _rows(glance.by_pair, files[-1:], ["abx_language", "abx_meaning"]) if files else pd.DataFrame()
    if found.empty:
        return None
    table = found.pivot(index=["source", "target"], columns="metric", values="value").dropna()
    if len(table) < 2 or set(table.columns) != {"abx_language", "abx_meaning"}:
        return None
    names = [f"{language(a).name} – {language(b).name}" for a, b in table.index]
    xs, ys = table["abx_language"].tolist(), table["abx_meaning"].tolist()
    return Shown(small.points(xs, ys, names, x=f"Languages · {model_name}", y="Meanings"), f"A point a pair; {model_name}")


FIGURES: dict[str, Callable[[Sequence[ShardFile], Sequence[Model]], Shown | None]] = {
    "abx": _abx,
    "alignment": _alignment,
    "probing": _probing,
    "transfer": _transfer,
    "emergent": _emergent,
    "relations": _relations,
}
