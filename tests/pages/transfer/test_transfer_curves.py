"""Curves, scatter, decomposition and memorisation: each draws, and its Python gives the very rows that it was drawn from."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.training.finetune.options import FinetuneOptions
from isogloss.pages.widgets.links import address
from tests.pages.abx.abx_page import CONTRAST, DEMO, Shown, check_rows, record
from tests.pages.beside import on_the_demo
from tests.pages.opened import opened
from tests.pages.transfer import transfer_workspace

if TYPE_CHECKING:
    from pathlib import Path

Query = dict[str, str | list[str]]
FROM_TO: Query = {"from": ["English · en", "Chinese · zh"], "to": ["German · de", "English · en", "Chinese · zh"]}
CORRUPTED = {"corruptions": (0.0, 0.5, 1.0)}
VIEWS: list[tuple[str, int, Query]] = [
    ("Curves", 1, {}),
    ("Curves", 1, {"points": "true", "curve_epsilon": "10%"}),
    ("Curves", 1, {"lines": "Directions", "points": "true", "curve_epsilon": "5%"}),
    ("Curves", 1, {"lines": "Directions", "directions": ["en → zh", "zh → de"], "algorithm": "vanilla"}),
    ("Curves", 1, {"directions": ["en → de"], "corruption": ["0", "0.5"]}),
    ("Scatter", 1, {}),
    ("Scatter", 1, {"mean": "false", "colour": "Epoch"}),
    ("Scatter", 1, {"colour": "Target", "directions": ["en → zh", "zh → de"]}),
    ("Curves", 1, {"lines": "Panels", "points": "true", "curve_epsilon": "5%"}),
    ("Curves", 1, {"lines": "Panels", "directions": ["en → zh", "zh → de"], "algorithm": "vanilla"}),
    ("Scatter", 1, {"scatter_of": "Interlingual gap", "scatter_panels": "true"}),
    ("Scatter", 1, {"scatter_of": "Intralingual gap", "scatter_panels": "true", "scatter_over": "Steps"}),
    ("Scatter", 1, {"scatter_of": "Training error", "scatter_panels": "true", "colour": "Target"}),
    ("Scatter", 1, {"scatter_of": "Training error", "scatter_over": "Epochs", "colour": "Epoch"}),
    ("Decomposition", 1, {}),
    ("Decomposition", 1, {"panels": "Models", "at": "0.05", "epsilon": "0.2"}),
    ("Memorisation", 3, {}),
    ("Memorisation", 3, {"memory_over": "Steps", "epsilon": "0.1", "algorithm": "gaussian"}),
    ("Memorisation", 3, {"at_model": "All models", "labels": "True"}),
    ("Memorisation", 3, {"at_model": "All models", "memory_over": "Steps", "corruption": ["0", "1"]}),
]


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    """Every figure shown; the demo's models beside a workspace of made-up runs."""
    on_the_demo(monkeypatch, tmp_path)
    return record(monkeypatch)


def open_transfer(**query: str | list[str]) -> AppTest:
    return opened("transfer", {"data": transfer_workspace.NAME} | query)


def texts(app: AppTest) -> str:
    return " ".join(each.value for kind in (app.info, app.caption, app.warning, app.markdown) for each in kind).replace(
        "\\", ""
    )


@pytest.mark.parametrize(("view", "figures", "query"), VIEWS, ids=[f"{view} {query}" for view, _, query in VIEWS])
def test_the_snippet_gives_the_figures_rows(shown: list[Shown], tmp_path: Path, view: str, figures: int, query: Query) -> None:
    transfer_workspace.fill(tmp_path, DEMO, **CORRUPTED)
    open_transfer(view=view, **query)
    assert len(shown) == figures
    for each in shown:
        check_rows(each)
        assert len(each.drawn.data), each.name
        assert each.recipe.chart is not None, each.name
        titles = (axis.title.text for axis in each.drawn.select_yaxes() if axis.title.text)
        title = html.unescape(next(titles)).replace("<br>", " ")
        heading = each.drawn.layout.title.text or ""  # it has the measure's name where the axis title has no room
        assert ("accuracy" if each.name.startswith("Accuracy") else "error") in f"{heading} {title}".lower()
        assert "% of training examples" in title.replace("% Of", "% of") or "percentage points" in title.lower()
        assert ("higher = " if each.name.startswith("Accuracy") else "lower = ") in title


@pytest.mark.parametrize("panels", ["Sources", "Models"])
@pytest.mark.parametrize(("at", "epsilon"), [("0", "0.1%"), ("40", "20%")])
def test_the_parts_of_every_bar_sum_to_its_target_error(
    shown: list[Shown], tmp_path: Path, panels: str, at: str, epsilon: str
) -> None:
    transfer_workspace.fill(tmp_path, DEMO)
    open_transfer(view="Decomposition", panels=panels, at_percent=at, epsilon=epsilon)
    (only,) = shown
    data = only.data
    assert len(data)
    assert np.abs(data["train"] + data["inter"] + data["intra"] - data["target_error"]).max() < 1e-15
    assert (data["intra"] < 0).any() == (at == "40")
    bars = [trace for trace in only.drawn.data if trace.type == "bar"]
    sums = [trace for trace in only.drawn.data if trace.type == "scatter"]
    assert only.drawn.layout.barmode == "relative"
    drawn = []
    for index, dots in enumerate(sums):
        parts = np.array([trace.y for trace in bars[3 * index : 3 * index + 3]], np.float64)
        np.testing.assert_allclose(parts.sum(axis=0), np.array(dots.y, np.float64), atol=1e-4)
        drawn += [value for value in np.array(dots.y, np.float64) if np.isfinite(value)]
    np.testing.assert_allclose(sorted(drawn), sorted(100 * data["target_error"]), atol=1e-4)


def test_a_wider_window_changes_the_curve_and_never_lowers_it_by_training_again(shown: list[Shown], tmp_path: Path) -> None:
    """The least over a wider window is no greater; the slider moves in the same page."""
    transfer_workspace.fill(tmp_path, DEMO)
    app = open_transfer(view="Curves", lines="Directions")
    app.select_slider(key="curve_epsilon").set_value(0.1).run()
    assert not app.exception
    before, after = shown[-2].data, shown[-1].data
    keys = ["model", "algorithm", "source", "target", "at"]
    both = before.merge(after, on=keys, suffixes=("", "_wide")).dropna(subset=["value"])
    assert len(both)
    assert (both["value_wide"] <= both["value"] + 1e-12).all()
    assert (both["models_wide"] >= both["models"]).all()
    assert (both["value_wide"] < both["value"] - 1e-12).any()


def test_windows_that_were_not_evaluated_are_not_known_and_the_page_says_so(shown: list[Shown], tmp_path: Path) -> None:
    options = FinetuneOptions(epochs=5, windows=((0.0, 0.001), (0.3, 0.025)))
    transfer_workspace.fill(tmp_path, DEMO, training=options)
    app = open_transfer(view="Curves", curve_epsilon="0.1")
    assert "not evaluated" in texts(app)
    assert "windows of 2.5% at most" in texts(app)
    shown.clear()
    app = open_transfer(view="Curves", curve_epsilon="0.001")
    assert "not evaluated" not in texts(app)
    assert set(shown[0].data["at"]) == {0.0, 0.3}


@pytest.mark.parametrize("view", ["Matrix", "Curves", "Decomposition"])
def test_a_window_that_is_too_wide_is_not_to_be_widened(shown: list[Shown], tmp_path: Path, view: str) -> None:
    options = FinetuneOptions(epochs=5, windows=((0.0, 0.001), (0.3, 0.025)))
    transfer_workspace.fill(tmp_path, DEMO, training=options)
    wide = {"at": "0.2", "epsilon": "0.2", "curve_epsilon": "0.2"}
    said = texts(open_transfer(view=view, **wide))
    drawn = " ".join(str(note.text) for each in shown for note in each.drawn.layout.annotations)
    assert "wider" not in said + drawn
    assert "widen" not in said + drawn
    if view == "Curves":
        assert "choose a narrower ε" in said
    else:
        assert "such as E′ 0% with ε 0.1% or E′ 30% with ε 2.5%, or train with" in said
    empty = {"at": "0.9", "epsilon": "0.001"}
    assert view == "Curves" or "The least that all have is E′ = 0%, ε = 0.1%." in texts(open_transfer(view=view, **empty))


def test_without_corrupted_runs_the_page_says_how_to_get_them(shown: list[Shown], tmp_path: Path) -> None:
    transfer_workspace.fill(tmp_path, DEMO)
    app = open_transfer(view="Memorisation")
    assert "Label corruption" in texts(app)
    assert all(set(each.data["corruption"]) == {0.0} for each in shown)
    assert all(len(each.drawn.data) for each in shown)


def test_accuracy_on_translations_stands_beside_igap_with_the_lines_of_chance(shown: list[Shown], tmp_path: Path) -> None:
    transfer_workspace.fill(tmp_path, DEMO, **CORRUPTED)
    open_transfer(view="Memorisation", algorithm="vanilla", at="0.05", epsilon="0.05")
    gaps, rights, _ = shown
    assert gaps.data["corruption"].tolist() == rights.data["corruption"].tolist() == [0.0, 0.5, 1.0]
    assert rights.data["value"].notna().all()
    (chance,) = [shape.y0 for shape in gaps.drawn.layout.shapes]
    assert chance == pytest.approx(100 * (2 / 3 - 0.05))
    (chance,) = [shape.y0 for shape in rights.drawn.layout.shapes]
    assert chance == pytest.approx(100 / 3)


def test_training_errors_of_several_models_are_lines_of_one_figure(shown: list[Shown], tmp_path: Path) -> None:
    transfer_workspace.fill(tmp_path, DEMO)
    open_transfer(view="Memorisation", at_model="All models")
    lines = [trace.name for trace in shown[2].drawn.data if trace.mode == "lines+markers"]
    assert len(lines) == 2
    assert [("gaussian" in line, "vanilla" in line) for line in sorted(lines)] == [(True, False), (False, True)]


def test_random_labels_have_the_interlingual_gap_and_no_target_error(shown: list[Shown], tmp_path: Path) -> None:
    """Without validation examples."""
    corpus = corpora.entries([DEMO])[0]
    transfer_workspace.fill(tmp_path, DEMO, data="parallel", corpus=corpus.id, validated=False)
    of = {"data": f"{corpus.name}, random labels", "setting": "5 epochs, batches of 32", **FROM_TO}  # not the demo's own
    app = open_transfer(view="Scatter", **of)
    assert "no validation examples" in texts(app)
    assert "Interlingual gap" in shown[0].drawn.layout.title.text
    app = open_transfer(view="Decomposition", epsilon="0.2", **of)
    assert "not known" in texts(app)
    assert {trace.name for trace in shown[1].drawn.data} == {"Training error", "Interlingual gap", "Error on translations"}


def test_a_mean_that_not_every_model_has_is_over_the_directions_that_all_have(shown: list[Shown], tmp_path: Path) -> None:
    transfer_workspace.fill(tmp_path, DEMO, algorithms=("vanilla",))
    transfer_workspace.fill(tmp_path, DEMO, algorithms=("gaussian",), sources=("en",))
    app = open_transfer(view="Curves")
    assert "2 directions of 6" in texts(app)
    assert set(shown[0].data["directions"]) == {2}
    assert "of 4" not in texts(app)


@pytest.mark.parametrize("view", ["Curves", "Scatter", "Decomposition", "Memorisation"])
def test_nothing_computed_is_said_and_nothing_drawn(shown: list[Shown], tmp_path: Path, view: str) -> None:
    transfer_workspace.fill(tmp_path, DEMO)
    app = open_transfer(view=view, model=CONTRAST, directions=["en → zh", "xx → yy"], lines="Directions")
    assert "No run of this selection" in texts(app)
    assert shown == []


def test_directions_of_languages_no_longer_chosen_go(shown: list[Shown], tmp_path: Path) -> None:
    transfer_workspace.fill(tmp_path, DEMO)
    app = open_transfer(view="Curves", lines="Directions", directions=["en → zh", "zh → de"])
    app.multiselect(key="from").set_value(["en"]).run()
    assert not app.exception
    assert set(zip(shown[-1].data["source"], shown[-1].data["target"], strict=True)) == {("en", "zh")}


@pytest.mark.parametrize("view", ["Curves", "Scatter", "Decomposition", "Memorisation"])
@pytest.mark.parametrize(
    "query",
    [
        {"directions": ["xx → yy", "<b>"], "lines": "Neither", "curve_epsilon": "7", "colour": "?", "panels": "?"}
        | {"at": "0.999", "epsilon": "-1", "at_model": "nobody", "pair_source": "Klingon · tlh", "memory_over": "?"},
        {"at": "nan", "epsilon": "0.2", "from": ["English · en"], "to": ["English · en", "German · de"], "corruption": ["9"]},
        {"directions": ["en → zh"], "lines": "Directions", "from": ["Chinese · zh"], "points": "true", "mean": "maybe"},
    ],
    ids=["odd", "few", "direction not chosen"],
)
def test_no_link_ends_in_a_traceback(shown: list[Shown], tmp_path: Path, view: str, query: Query) -> None:
    transfer_workspace.fill(tmp_path, DEMO, **CORRUPTED)
    app = open_transfer(view=view, **query)
    assert shown or texts(app)


def test_from_the_examples_to_the_curve_of_their_direction(shown: list[Shown], tmp_path: Path) -> None:
    transfer_workspace.fill(tmp_path, DEMO)
    app = open_transfer(view="Examples", pair_source="Chinese · zh", pair_target="German · de")
    app.button(key="to_curve").click().run()
    assert not app.exception
    assert set(zip(shown[-1].data["source"], shown[-1].data["target"], strict=True)) == {("zh", "de")}
    asked = parse_qs(urlsplit(app.session_state[address.LINK]).query)
    assert asked["directions"] == ["zh → de"]
    assert asked["view"] == ["Curves"]
