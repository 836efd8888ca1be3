"""The Emergent page's views in groups: links, clicks and the session lead to a view, and its group comes with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.pages.emergent.making import growing
from tests.pages.emergent import benchmark_workspace as made
from tests.pages.emergent.emergent_page import open_page

if TYPE_CHECKING:
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

    from tests.pages.abx.abx_page import Shown

GROUPS = {
    "Overview": ["Overview", "Meanings"],
    "Distributions": ["Rank–frequency", "Type–token", "Lengths", "Most frequent"],
    "Entropies": ["Entropies", "Positions"],
    "Leaderboard": ["Leaderboard", "Source × target"],
    "Translation": ["Translation"],
    "Learning curves": ["Games", "XferBench", "Translation models"],
    "More": ["Writing systems", "Score × statistic", "Printed"],
}
OLD = {
    "Shuffled": ("Entropies", "Entropies"),
    "Success": ("Learning curves", "Games"),
    "Training": ("Learning curves", "XferBench"),
    "Scatter": ("More", "Score × statistic"),
}
"""Names that views had once, and where they are now."""


def check(app: AppTest, group: str, view: str) -> None:
    """The page shows this view of this group, and Streamlit warns of nothing."""
    assert not app.exception, app.exception
    assert not app.warning
    assert app.segmented_control(key="view-group").options == list(GROUPS)
    assert app.segmented_control(key="view-group").value == group
    assert app.segmented_control(key="view").options == GROUPS[group]
    assert app.segmented_control(key="view").value == view


@pytest.mark.parametrize(("group", "view"), [("Distributions", "Lengths"), ("More", "Printed")])
def test_a_link_to_a_view_opens_its_group(workspace: Path, shown: list[Shown], group: str, view: str) -> None:
    made.fill(workspace)
    app = open_page(view=view)
    check(app, group, view)
    check(app.run(), group, view)


@pytest.mark.parametrize("old", OLD)
def test_a_link_of_before_opens_the_same(workspace: Path, shown: list[Shown], old: str) -> None:
    made.fill(workspace)
    app = open_page(view=old, corpora=["Mine"], shuffle_seed="3")
    check(app, *OLD[old])
    assert not app.info or "not computed" not in app.info[0].value
    if old == "Shuffled":
        assert app.number_input(key="shuffle_seed").value == 3
        assert shown[-1].name == "Against a shuffled version, over"
        app.toggle(key="shuffled").set_value(False).run()
        assert shown[-1].name == "Entropy by n-gram order"


@pytest.mark.parametrize("link", [{}, {"view": "nonsense"}], ids=str)
def test_without_a_view_the_very_first_is_shown(workspace: Path, shown: list[Shown], link: dict[str, str]) -> None:
    made.fill(workspace)
    check(open_page(**link), "Overview", "Overview")


def test_a_group_opens_at_its_first_view_and_later_at_its_last(workspace: Path, shown: list[Shown]) -> None:
    made.fill(workspace)
    app = open_page(view="Lengths")
    app.segmented_control(key="view-group").set_value("Leaderboard").run()
    check(app, "Leaderboard", "Leaderboard")
    assert shown[-1].name == "XferBench leaderboard as printed"
    app.segmented_control(key="view").set_value("Source × target").run()
    check(app, "Leaderboard", "Source × target")
    app.segmented_control(key="view-group").set_value("Distributions").run()
    check(app, "Distributions", "Lengths")
    assert shown[-1].name == "Utterance lengths"
    app.segmented_control(key="view-group").set_value("Overview").run()
    check(app, "Overview", "Overview")
    app.segmented_control(key="view-group").set_value("Leaderboard").run()
    check(app, "Leaderboard", "Source × target")


def test_a_click_from_group_to_group_brings_the_group(
    workspace: Path, shown: list[Shown], monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = made.fill(workspace)
    monkeypatch.setattr(growing.language_game, "corpus_of", lambda *_: keys["Mine"])  # what the form describes is grown
    app = open_page(view="Score × statistic", make="Signalling game")
    app.button(key="grown-show").click().run()
    check(app, "Learning curves", "Games")
    app.segmented_control(key="view-group").set_value("More").run()
    check(app, "More", "Score × statistic")


def test_a_corpus_made_beside_the_benchmark_leaves_its_view(workspace: Path, shown: list[Shown]) -> None:
    made.fill(workspace)
    app = open_page(view="Score × statistic", make_tokens="900", corpora=["Mine"])
    app.button(key="make-it").click().run()
    check(app, "More", "Score × statistic")
    assert 900 in {entry.tokens for entry in emergent_library.entries([workspace])}
    assert len(app.multiselect(key="corpora").value) == 2


def test_choices_of_before_are_chosen_under_their_names_of_today(workspace: Path, shown: list[Shown]) -> None:
    made.fill(workspace)
    app = open_page(view="Scatter", board_statistic="Compressed (bits a token)", bench_protocol="Correct")
    check(app, "More", "Score × statistic")
    assert app.selectbox(key="board_statistic").value == "bits_per_token"
    assert app.selectbox(key="bench_protocol").value == "correct"
    assert not any("link" in each.value for each in app.info)
