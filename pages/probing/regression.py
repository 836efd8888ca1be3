"""Probe accuracy regressed on language and meaning discrimination (LD, MD), beside table 1 of de Seyssel et al. 2025."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments.relations import catalogue, cubes, table1
from isogloss.backend.experiments.relations.catalogue import Available
from isogloss.backend.experiments.relations.printed import tables as published
from isogloss.backend.experiments.relations.reading import Question, Reading, Scored
from isogloss.backend.figures.probing import ACCURACY
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.pages.probing import frames
from isogloss.pages.probing.cards import REGRESSION
from isogloss.pages.probing.selection import Selection
from isogloss.pages.shared import answers
from isogloss.pages.widgets import navigation
from isogloss.pages.widgets.choosing import seeds
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import guard, workspaces

SETTINGS = {"Prob.": "Monolingual", "CL": "Cross-lingual"}
CHECKPOINTS = {"Last": "last", "Avg.": "mean of all"}


def draw(selection: Selection) -> None:
    """Draw the printed table, one's own regressions beside it where the model has LD and MD too."""
    able = {model.name: model for model in selection.models if selection.computed(model)}
    boxes = st.container(horizontal=True, vertical_alignment="bottom")
    with boxes:
        model = able[select("Model", list(able), "at_model", width=280)]
    regressions = _abx(selection, model)
    if not regressions:
        st.info(
            f"LD and MD of {verbatim(model.name)} are not computed at a checkpoint that has its probes: "
            "compute them on the ABX page to regress accuracy on them.",
            icon=":material/info:",
        )
        st.page_link(navigation.page_of("abx"), label="Compute ABX", icon=":material/grid_on:")
        _table(published_alone())
        return
    with boxes:
        named = regressions[select("LD and MD of", list(regressions), "of_abx", width=360)]
    questions = _questions(selection, model, named)
    recipe = answers.recipe(table1.table, task=_task(selection), **questions)
    with guard():
        data = cooked.rows(recipe)
    _table(data)
    for why in dict.fromkeys(data["why"].dropna()):
        st.info(verbatim(why), icon=":material/info:")
    seeds.tell_one(model, selection.models)
    figure.beside(name=f"Regressions of {model.name} beside table 1", data=data, card=REGRESSION, recipe=recipe)


def _abx(selection: Selection, model: Model) -> dict[str, tuple[Available, Available]]:
    """LD and MD by the corpus and options they were computed with, where some checkpoint has the probes too."""
    ours = {each.fingerprint for each in _complete(selection, model)}
    with guard():
        known = catalogue.catalogue(cubes.files_of(workspaces(), "abx"), selection.known())
        names = {entry.id: entry.name for entry in corpora.entries(workspaces())}
    by_key: dict[tuple[str | None, str | None], dict[str, Available]] = {}
    for each in known:
        of_model = each.of(model.name)
        if of_model and not ours.isdisjoint(of_model.checkpoints):
            by_key.setdefault((each.corpus, each.variant), {})[each.metric] = each
    return {
        f"{names.get(str(corpus), str(corpus)[:6])}, {variant}": (found["abx_language"], found["abx_meaning"])
        for (corpus, variant), found in by_key.items()
        if {"abx_language", "abx_meaning"} <= set(found)
    }


def _questions(selection: Selection, model: Model, abx: tuple[Available, Available]) -> dict[str, Question | None]:
    """Return the regressions of the table that this selection has, at the checkpoints that both have."""
    theirs = abx[0].of(model.name)
    assert theirs is not None
    shared = [each for each in _complete(selection, model) if each.fingerprint in theirs.checkpoints]
    steps = tuple(each.step for each in shared)
    keys = tuple(each.fingerprint for each in shared)
    spec = selection.spec(model, shared)
    accuracy = Scored(
        experiment="probing", metric=ACCURACY, corpus=spec.corpus, variant=spec.variant, checkpoints=keys, steps=steps
    )
    of_abx = [
        Scored(experiment="abx", metric=each.metric, corpus=each.corpus, variant=each.variant, checkpoints=keys, steps=steps)
        for each in abx
    ]

    def question(unit: str, checkpoint: str) -> Question:
        readings = {table1.OUTCOME: Reading(of=accuracy, checkpoint=checkpoint, role="itself")}
        for name, of in zip((table1.LD, table1.MD), of_abx, strict=True):
            readings[name] = Reading(of=of, checkpoint=checkpoint)
        return Question.model_validate({"unit": unit, "readings": readings})

    return {
        "monolingual_last": question("language", "last"),
        "monolingual_mean": question("language", "mean"),
        "crosslingual_last": question("pair", "last") if selection.targets else None,
    }


def _complete(selection: Selection, model: Model) -> list[Checkpoint]:
    return [each for _, each in frames.part(selection, of=[model]).of]


def _task(selection: Selection) -> str:
    """Return what the paper calls the task; data that are none of its own have their name."""
    data = selection.data
    if data.unit == "words":
        return "NER" if data.entities else "POS"
    return "NLI" if data.pairs else data.name


def published_alone() -> pd.DataFrame:
    """Return the printed rows, with nothing of one's own beside them."""
    found = published.regressions()
    names = {"r2": "printed_r2", "language_discrimination": "printed_LD", "meaning_discrimination": "printed_MD"}
    return found.rename(columns=names).assign(checkpoint=found["checkpoint"].replace("Avg", "Avg."))


def _table(data: pd.DataFrame) -> None:
    """A row a regression: one's own where there is one, and below it the printed one."""
    rows = [row for each in data.to_dict("records") for row in (_own(each), _printed(each)) if row]
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        column_config={"R²": st.column_config.NumberColumn(format="%.3f")},
        placeholder="–",
        key="table-1",
        height="content",
        alt="Regressions of probe accuracy on language and meaning discrimination",
    )
    st.caption(
        "Rows: languages, or pairs of them. Coefficients: accuracy (share right) a unit of LD or MD (share of triplets); "
        "negative = lower accuracy where it is higher. p: rows as independent; permuted: languages permuted, for pairs share "
        f"them. R²: share of variance, higher = better predicted. Printed: {published.PAPER}, {published.SETTING}. Any other "
        "predictors: Relations, Regression."
    )


def _where(row: Mapping[Hashable, Any]) -> dict[str, Any]:
    return {"Setting": SETTINGS[row["setting"]], "Task": row["task"], "Checkpoint": CHECKPOINTS[row["checkpoint"]]}


def _own(row: Mapping[Hashable, Any]) -> dict[str, Any] | None:
    """One's own regression; None where there is none."""
    if "r2" not in row or row["r2"] != row["r2"]:
        return None
    found = _where(row) | {"Of": "this model", "Rows": int(row["n"]), "R²": row["r2"]}
    for name in (table1.LD, table1.MD):
        p, permuted = _p(row[f"{name}_p"]), _p(row[f"{name}_p_permuted"])
        found[name] = f"{row[name]:+.3f} (p {p}, permuted {permuted})"
    return found


def _printed(row: Mapping[Hashable, Any]) -> dict[str, Any] | None:
    """Return the paper's regression; None where it has none."""
    if row["printed_r2"] != row["printed_r2"]:
        return None
    found = _where(row) | {"Of": "the paper", "Rows": None, "R²": row["printed_r2"]}
    return found | {name: row[f"printed_{name}"] for name in (table1.LD, table1.MD)}


def _p(value: float) -> str:
    return "< .001" if value < 0.001 else f"{value:.3f}".removeprefix("0")
