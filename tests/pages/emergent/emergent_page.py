"""The Emergent page as the tests of its views open it, and what they look at in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.jobs import client, slots
from isogloss.backend.jobs.job import Job
from isogloss.backend.jobs.slots import WorkerReport
from tests.experiments.machines import CPU, note_trainings
from tests.pages.abx.abx_page import run
from tests.pages.opened import opened

if TYPE_CHECKING:
    import pandas as pd
    import pytest
    from streamlit.testing.v1 import AppTest

    from tests.pages.abx.abx_page import Shown


def open_page(**query: str | list[str]) -> AppTest:
    """The page with these parameters in its URL; nothing may have gone wrong unexpectedly."""
    return opened("emergent", query)


def said(app: AppTest) -> str:
    """Every sentence on the page."""
    elements = [*app.markdown, *app.caption, *app.info, *app.error, *app.warning]
    return " ".join(str(each.value).replace("\\", "") for each in elements)


def same(recipe: Recipe, data: pd.DataFrame) -> None:
    """The recipe gives the very rows that its figure was drawn from."""
    import pandas as pd

    pd.testing.assert_frame_equal(run(recipe).reset_index(drop=True), data.reset_index(drop=True))


def again(each: Shown) -> None:
    """The recipe gives the rows of the figure or table, and draws the figure."""
    assert (each.recipe.chart is None) == (each.drawn is None), each.name
    same(each.recipe, each.data)


def measured(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Trainings were timed on this machine, so runs have a price; the specs that are submitted from now on, and not run."""
    asked: list[Any] = []
    monkeypatch.setattr(slots, "last_reports", lambda _: [WorkerReport(machine=CPU)])
    for experiment in ("xferbench", "translation"):
        note_trainings(experiment, "pre-training", "tuning")
    monkeypatch.setattr(client, "submit", lambda spec, _: asked.append(spec))
    monkeypatch.setattr("isogloss.pages.widgets.runs.compute.start_worker", lambda: None)
    return asked


def button(app: AppTest) -> Any:
    """Return what computes what the form asks for."""
    return next(each for each in app.button if str(each.key).startswith("compute-"))


def under_way(monkeypatch: pytest.MonkeyPatch, job: Job) -> None:
    """The run is computed by a living worker."""
    monkeypatch.setattr(client, "jobs", lambda *_, **__: [job])
    monkeypatch.setattr(client, "job", lambda *_: job)
    monkeypatch.setattr(slots, "alive", lambda _: [WorkerReport(pid=1)])
