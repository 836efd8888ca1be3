"""What many models lack is folded, but for the first and for those that a run is at work on: its progress stays in sight."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import streamlit as st

from isogloss.pages.widgets.choosing import views
from isogloss.pages.widgets.runs import compute

if TYPE_CHECKING:
    import pytest


def test_the_model_that_a_run_is_at_work_on_is_not_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    models = [SimpleNamespace(name=name) for name in "abcd"]
    chosen: Any = SimpleNamespace(models=models, missing=lambda model: [model.name != "d"], computed=lambda model: True)
    jobs = [
        SimpleNamespace(spec=SimpleNamespace(model=name), state=state) for name, state in (("c", "running"), ("b", "waiting"))
    ]
    monkeypatch.setattr(compute.client, "jobs", lambda *_: jobs)
    folds: list[str] = []
    monkeypatch.setattr(st, "expander", lambda label, **_: folds.append(label) or st.container())
    offered: list[tuple[str, int]] = []
    views._offer(chosen, lambda _, model: offered.append((model.name, len(folds))))
    assert offered == [("a", 0), ("c", 0), ("d", 0), ("b", 1)]
    assert folds == ["Not computed yet: 1 more model"]
