"""The paper's numbers on the ABX page: from its tables, labelled with their source, and only where they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isogloss.backend.experiments.abx.printed import tables as published
from tests.pages.abx.abx_page import DEMO, Shown, open_abx, record

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    return record(monkeypatch)


def texts(each: Shown) -> str:
    return " ".join(annotation.text for annotation in each.drawn.layout.annotations).replace("<br>", " ")


def test_another_model_is_not_laid_beside_the_paper_unasked(shown: list[Shown]) -> None:
    app = open_abx(view="Relations")
    assert not any(published.PAPER in texts(each) for each in shown)
    (toggle,) = [each for each in app.toggle if each.key == "paper"]
    assert toggle.value is False
    assert "another model (xlm-roberta, 4 layers), another corpus, 10 of its 36 languages" in toggle.help.replace("\\", "")


def test_asked_for_they_are_lines_and_text_with_model_and_source(shown: list[Shown]) -> None:
    open_abx(view="Relations", paper="true")
    language, retrieval, over = shown[-3:]
    wanted = {each.statistic: each for each in published.printed_correlations("final checkpoint")}
    lines = {shape.name: shape.y0 for shape in over.drawn.layout.shapes if shape.name}
    assert len(lines) == len(wanted)
    for name, each in wanted.items():
        written = f"{each.value:.2f}".replace("-", "−")
        named = f"{each.source},<br>{published.SETTING},<br>last checkpoint, {name}: {written}"
        assert lines[named] == each.value
        assert f"{name} {each.value:.2f}".replace("-", "−") in texts(language)
    assert published.SETTING in texts(language)
    (all_layers,), (last,) = (
        published.printed_correlations("retrieval"),
        published.printed_correlations("retrieval, last layer"),
    )
    assert f"{all_layers.source}: {all_layers.statistic} {all_layers.value:.2f}" in texts(retrieval)
    open_abx(view="Relations", paper="true", layers=["4"], model="Demo MLM")
    assert f"{last.source}: {last.statistic} {last.value:.2f}" in texts(shown[-2])


def test_the_papers_own_setting_shows_them_at_once(shown: list[Shown], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(published, "differences", lambda *_: [])
    open_abx(view="Relations")
    assert published.PAPER in texts(shown[-2])
    open_abx(view="Relations", paper="false")
    assert published.PAPER not in texts(shown[-2])
    assert not any(shape.name for shape in shown[-1].drawn.layout.shapes)
