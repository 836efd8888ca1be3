"""The control of the order of languages: by family at first where they are many."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


def _control(amount: int) -> None:
    import streamlit as st

    from isogloss.pages.widgets.choosing import ordering

    st.text(ordering.of_languages(amount))


@pytest.mark.parametrize(("amount", "order"), [(15, "name"), (16, "family")])
def test_many_languages_stand_by_family_unless_the_link_says_otherwise(amount: int, order: str) -> None:
    page = AppTest.from_function(_control, kwargs={"amount": amount})
    assert page.run().text[0].value == order
    asked = AppTest.from_function(_control, kwargs={"amount": amount})
    asked.query_params["order"] = "script"
    assert asked.run().text[0].value == "script"
