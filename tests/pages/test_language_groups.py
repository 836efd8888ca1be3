"""Languages are chosen by family, genus, script and resource level, and the closed control says how many are."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from isogloss.pages.widgets.choosing.language_groups import combined, groups_of

TAGS = ("de", "en", "fi", "fr", "hu", "ru", "tr", "uk", "zh", "zu")


def test_groups_are_those_that_some_languages_have_and_some_have_not() -> None:
    groups = groups_of(TAGS)
    assert groups["Family: Indo-European"] == ["de", "en", "fr", "ru", "uk"]
    assert groups["Genus: Germanic"] == ["de", "en"]
    assert groups["Script: Cyrillic"] == ["ru", "uk"]
    assert groups["Resource level: low"] == ["zu"]
    assert not any(len(members) in (0, len(TAGS)) for members in groups.values())
    assert "Script: Cyrillic" not in groups_of(("ru", "uk"))  # all have it


@pytest.mark.parametrize(
    ("how", "now"),
    [
        ("Only", ["ru", "uk"]),
        ("Add", ["de", "ru", "uk"]),
        ("All but", ["de", "en", "fi", "fr", "hu", "tr", "zh", "zu"]),
    ],
)
def test_a_group_is_chosen_alone_added_or_left_out(how: str, now: list[str]) -> None:
    assert combined(TAGS, ["ru", "de"], ["ru", "uk"], how) == now  # type: ignore[arg-type]


def _picker(none_is_all: bool) -> None:
    import streamlit as st

    from isogloss.pages.widgets.choosing import spoken

    tags = ["de", "en", "fi", "fr", "hu", "ru", "tr", "uk", "zh", "zu"]
    placeholder = f"All {len(tags)}" if none_is_all else None
    found = spoken.choose("Languages", tags, key="languages", of="c", place="Test", placeholder=placeholder)
    st.text(" ".join(found))


def _label(page: AppTest) -> str:
    return str(page.main.children[0].proto.popover.label)


@pytest.mark.parametrize("none_is_all", [False, True])
def test_the_control_follows_the_group_and_says_how_many(none_is_all: bool) -> None:
    page = AppTest.from_function(_picker, kwargs={"none_is_all": none_is_all}).run()
    assert _label(page) == "Languages: 10 of 10"
    assert page.button(key="languages-Only").disabled
    page.selectbox(key="languages-group").set_value("Script: Cyrillic").run()
    page.button(key="languages-Only").click().run()
    assert (page.text[0].value, _label(page)) == ("ru uk", "Languages: 2 of 10")
    page.selectbox(key="languages-group").set_value("Family: Uralic").run()
    page.button(key="languages-Add").click().run()
    assert (page.text[0].value, _label(page)) == ("fi hu ru uk", "Languages: 4 of 10")
    page.button(key="languages-All but").click().run()
    assert _label(page) == "Languages: 8 of 10"
    page.button(key="languages-everything").click().run()
    assert (page.text[0].value, _label(page)) == ("" if none_is_all else " ".join(TAGS), "Languages: 10 of 10")
    assert not page.exception
    assert not page.warning


def test_a_link_of_before_chooses_as_it_did() -> None:
    page = AppTest.from_function(_picker, kwargs={"none_is_all": False})
    page.query_params["languages"] = ["German · de", "Zulu · zu"]
    assert page.run().text[0].value == "de zu"
