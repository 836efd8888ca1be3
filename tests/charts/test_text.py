import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.charts.parts.text import in_one_line, name_of, number, parts_of, safe, step_label, wrap_title

ENTITY = re.compile(r"&(#\d+|amp|lt|gt);")


def drawn(text: str) -> str:
    """What plotly draws: one pass over the entities, as its convertEntities does."""
    names = {"amp": "&", "lt": "<", "gt": ">"}
    return ENTITY.sub(lambda m: chr(int(m[1][1:])) if m[1].startswith("#") else names[m[1]], text)


@pytest.mark.parametrize(
    "hostile",
    [
        '<a href="javascript:alert(1)">click</a>',
        "<b>bold</b>",
        "&lt;b&gt;",
        "%{customdata[0]}",
        "$\\frac{1}{2}$",
        "<span style='font-size:90px'>x</span>",
    ],
)
def test_what_a_user_wrote_is_drawn_letter_by_letter(hostile: str) -> None:
    escaped = safe(hostile)
    assert not set("<>\"'$") & set(escaped)
    assert "%{" not in escaped
    assert drawn(escaped) == hostile


@given(st.text())
def test_no_text_keeps_markup_or_template(text: str) -> None:
    escaped = safe(text, None)
    assert not set("<>\"'$%") & set(escaped)
    assert not set(ENTITY.sub("", escaped)) & {"&"}
    assert not set("\n\r\t\u202e\u2066") & set(escaped)


def test_long_text_is_cut_before_it_is_escaped() -> None:
    assert safe("<" * 100, 10) == "&lt;" * 9 + "…"
    assert safe("a" * 100, None) == "a" * 100


def test_direction_marks_go_and_right_to_left_text_stays() -> None:
    assert safe("abc\u202edef\u2069") == "abcdef"
    assert safe("שלום עולם") == "שלום עולם"
    assert safe("a\n b\t c") == "a b c"


@pytest.mark.parametrize(
    ("step", "label"),
    [(0, "0"), (500, "500"), (5000, "5k"), (1500, "1.5k"), (1_500_000, "1.5M"), (1_450_000, "1.45M"), (2e9, "2B"), (None, "?")],
)
def test_steps_are_short(step: float | None, label: str) -> None:
    assert step_label(step) == label
    assert step_label(float("nan")) == "?"


def test_numbers_and_titles() -> None:
    assert number(0.87651) == "0.877"
    assert number(-0.1, "+.2f") == "−0.10"
    assert number(float("nan")) == number(None) == ""
    title = "Meaning discrimination (share of triplets, higher = better separated)"
    assert name_of(title) == "Meaning discrimination"
    assert wrap_title(title, 1000) == title
    assert wrap_title(title, 350).split("<br>") == ["Meaning discrimination", "(share of triplets, higher = better separated)"]
    assert "<b>" not in wrap_title("<b>x</b> (" + "y" * 300 + ")", 100)


@pytest.mark.parametrize(
    ("title", "parts"),
    [
        ("Layer", ("Layer", "")),
        ("Layer (0 = input embedding)", ("Layer", "(0 = input embedding)")),
        ("Rank (1 = best), with 95% interval; letters", ("Rank", "(1 = best), with 95% interval; letters")),
        ("f1 (macro) (as written; higher = better)", ("f1 (macro)", "(as written; higher = better)")),
        ("a (b) c (unit (of it), more)", ("a (b) c", "(unit (of it), more)")),
        ("f(x) (unit)", ("f(x)", "(unit)")),
        ("open ( (unit)", ("open (", "(unit)")),
        ("<b>x</b>%{y} (html) (unit)", ("<b>x</b>%{y} (html)", "(unit)")),
        ("never (closed", ("never", "(closed")),
        ("(" * 500, ("(" * 500, "")),
    ],
)
def test_a_measures_own_brackets_are_its_names(title: str, parts: tuple[str, str]) -> None:
    assert parts_of(title) == parts
    assert name_of(title) == parts[0]
    assert " ".join(filter(None, parts)) == title


def test_a_unit_alone_is_that_of_the_last_brackets() -> None:
    assert in_one_line("f1 (macro) (as written; higher = better)", 60) == "As written; higher = better"
    lines = wrap_title("<b>f1</b> (macro) (as written; higher = better)", 60).split("<br>")
    assert " ".join(lines) == safe("<b>f1</b> (macro) (as written; higher = better)", None)
    assert "(as written;" in lines[2]
