"""Many languages in groups are collapsed on a page, and the link says which groups are open."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from isogloss.backend.charts.grid import grid
from isogloss.backend.charts.heatmap import heatmap_of
from isogloss.backend.charts.languages import PINNED
from isogloss.backend.charts.parts.click import CELLS
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.figures.collapsed import MANY
from isogloss.pages.widgets.choosing.opened import Rows, clicks, clicks_on_pairs, toggled
from tests.corpora.languages.test_language_names import UNIVERSAL_DEPENDENCIES

TAGS = [tag for tag in UNIVERSAL_DEPENDENCIES.split() if len(tag) == 2]


def _control(tags: list[str]) -> None:
    import streamlit as st

    from isogloss.pages.widgets.choosing import opened

    rows = opened.choose(tags)
    st.text(f"{rows.order}: {rows.opened}")
    st.text(" ".join(rows.pinned))


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
    assert [each.label for each in page.multiselect] == ["First"]
    few = AppTest.from_function(_control, kwargs={"tags": TAGS[:15]})
    assert not few.run().multiselect
    few.query_params["pinned"] = [language(TAGS[3]).name]  # but for what a link asks for
    assert few.run().text[1].value == TAGS[3]


def test_the_link_pins_languages_and_those_that_are_not_there_are_let_go() -> None:
    page = AppTest.from_function(_control, kwargs={"tags": TAGS})
    page.query_params["pinned"] = ["Russian", "Finnish"]
    assert page.run().text[1].value == "ru fi"
    assert page.text[0].value == "family: []"
    page.session_state["pinned"] = ["fi", "no such"]
    assert page.run().text[1].value == "fi"
    assert not page.exception


def _rows(tags: list[str], order: str, opened: list[str] | None, *pinned: str) -> Rows:
    return Rows(tuple(tags), order, opened, pinned)  # type: ignore[arg-type]


@pytest.mark.parametrize(("order", "opened"), [("name", None), ("clustering", []), ("family", None)])
def test_nothing_is_clickable_where_nothing_is_collapsed(order: str, opened: list[str] | None) -> None:
    assert clicks(_rows(TAGS, order, opened), 2) is False


def test_a_click_on_any_cell_of_a_row_says_its_group() -> None:
    made = clicks(_rows(["fi", "hu", "eu"], "family", ["Uralic"], "eu"), 2)  # a row that is pinned opens nothing
    assert callable(made)
    rows = ["Basque, pinned", "Basque", "Uralic", "Finnish", "Hungarian"]
    drawn = made(heatmap_of(grid([[0.5, 0.6]] * 5, rows, ["0", "1"]), colour_title="a", row_title="b", column_title="c"))
    (cells,) = (trace for trace in drawn.data if trace.name == CELLS)
    assert [list(each) for each in cells.customdata] == [["Basque"]] * 2 + [["Uralic"]] * 6


def test_a_click_on_a_cell_of_pairs_says_both_groups_but_on_two_languages_nothing() -> None:
    made = clicks_on_pairs(_rows(["fi", "hu", "eu"], "family", ["Uralic"]))
    assert callable(made)
    rows = ["Basque", "Uralic", "Finnish", "Hungarian"]
    drawn = made(heatmap_of(grid([[0.5] * 4] * 4, rows, rows), colour_title="a", row_title="b", column_title="c"))
    (cells,) = (trace for trace in drawn.data if trace.name == CELLS)
    assert len(cells.customdata) == 16 - 4
    assert list(cells.customdata[1]) == ["Basque", "Uralic"]
    two = clicks_on_pairs(_rows(["fi", "hu", "eu"], "family", []), panels=2)
    assert callable(two)
    assert clicks_on_pairs(_rows(["fi", "hu"], "name", None)) is False


def test_groups_open_together_and_close_where_all_were_open() -> None:
    assert toggled(["a"], "b", "a") == ["a", "b"]
    assert toggled(["a", "b", "c"], "b", "a") == ["c"]
    assert toggled([], "b", "b") == ["b"]
    assert toggled(["a"], PINNED, "b") == ["a", "b"]
    assert toggled(["a", "b"], PINNED, "b") == ["a"]
