"""Many languages in groups are collapsed on a page, and the link says which groups are open."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from isogloss.backend.charts.grid import grid
from isogloss.backend.charts.heatmap import heatmap_of
from isogloss.backend.charts.parts.click import CELLS
from isogloss.backend.figures.collapsed import MANY
from isogloss.pages.widgets.choosing.opened import clicks, clicks_on_pairs, toggled
from tests.corpora.languages.test_language_names import UNIVERSAL_DEPENDENCIES

TAGS = [tag for tag in UNIVERSAL_DEPENDENCIES.split() if len(tag) == 2]


def _control(tags: list[str]) -> None:
    import streamlit as st

    from isogloss.pages.widgets.choosing import opened

    order, groups = opened.choose(tags)
    st.text(f"{order}: {groups}")


def test_many_languages_are_collapsed_and_the_link_opens_groups() -> None:
    assert len(TAGS) > MANY
    page = AppTest.from_function(_control, kwargs={"tags": TAGS})
    assert page.run().text[0].value == "family: []"
    asked = AppTest.from_function(_control, kwargs={"tags": TAGS})
    asked.query_params["opened"] = ["Uralic", "Basque"]
    assert asked.run().text[0].value == "family: ['Uralic', 'Basque']"
    asked.selectbox(key="order").set_value("script").run()
    assert asked.text[0].value == "script: []"  # families are no scripts
    asked.selectbox(key="order").set_value("name").run()
    assert asked.text[0].value == "name: None"
    assert not asked.exception


def test_few_languages_have_no_control_more() -> None:
    page = AppTest.from_function(_control, kwargs={"tags": TAGS[:MANY]}).run()
    assert page.text[0].value == "family: None"
    assert len(page.multiselect) == 0


@pytest.mark.parametrize(("order", "opened"), [("name", None), ("clustering", []), ("family", None)])
def test_nothing_is_clickable_where_nothing_is_collapsed(order: str, opened: list[str] | None) -> None:
    assert clicks(TAGS, order, opened, 2) is False  # type: ignore[arg-type]


def test_a_click_on_any_cell_of_a_row_says_its_group() -> None:
    made = clicks(["fi", "hu", "eu"], "family", ["Uralic"], 2)
    assert callable(made)
    rows = ["Basque", "Uralic", "Finnish", "Hungarian"]
    drawn = made(heatmap_of(grid([[0.5, 0.6]] * 4, rows, ["0", "1"]), colour_title="a", row_title="b", column_title="c"))
    (cells,) = (trace for trace in drawn.data if trace.name == CELLS)
    assert [list(each) for each in cells.customdata] == [["Basque"]] * 2 + [["Uralic"]] * 6


def test_a_click_on_a_cell_of_pairs_says_both_groups_but_on_two_languages_nothing() -> None:
    made = clicks_on_pairs(["fi", "hu", "eu"], "family", ["Uralic"])
    assert callable(made)
    rows = ["Basque", "Uralic", "Finnish", "Hungarian"]
    drawn = made(heatmap_of(grid([[0.5] * 4] * 4, rows, rows), colour_title="a", row_title="b", column_title="c"))
    (cells,) = (trace for trace in drawn.data if trace.name == CELLS)
    assert len(cells.customdata) == 16 - 4
    assert list(cells.customdata[1]) == ["Basque", "Uralic"]
    two = clicks_on_pairs(["fi", "hu", "eu"], "family", [], panels=2)
    assert callable(two)
    assert clicks_on_pairs(["fi", "hu"], "name", None) is False


def test_groups_open_together_and_close_where_all_were_open() -> None:
    assert toggled(["a"], "b", "a") == ["a", "b"]
    assert toggled(["a", "b", "c"], "b", "a") == ["c"]
    assert toggled([], "b", "b") == ["b"]
