"""Text in figures: escaping what users wrote, and numbers as people read them."""

from __future__ import annotations

import math
import re
import textwrap

# Characters that draw nothing but can reorder or hide the text around them, and control characters.
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;", "%": "&#37;", "$": "&#36;"}
_SPECIAL = re.compile("[&<>\"'%$]")
_UNIT = re.compile(r"(.*) (\((?:[^()]|\([^()]*\))*\)[^()]*)", re.DOTALL)
MARKUP = re.compile("<[^>]*>")
"""Tags that plotly draws by."""


def safe(text: object, limit: int | None = 80) -> str:
    """Escape `text` such that plotly draws it letter by letter, markup and formulas included.

    Plotly renders a little HTML in every label (`<b>`, `<a href>`), fills `%{…}` in hover templates and hands `$…$` to MathJax.
    All of these are turned into character entities, which plotly turns back when it draws. Line breaks become spaces, invisible
    direction marks go, and what is longer than `limit` characters ends in an ellipsis (`None` keeps everything).
    """
    plain = _INVISIBLE.sub("", re.sub(r"\s+", " ", str(text))).strip()
    if limit is not None and len(plain) > limit:
        plain = plain[: limit - 1].rstrip() + "…"
    return _SPECIAL.sub(lambda match: _ENTITIES[match.group()], plain)


def shorten(text: str, limit: int) -> str:
    """`text` with its middle left out where it is longer: the ends of long names tell them apart."""
    if len(text) <= limit:
        return text
    head = 2 * (limit - 1) // 3
    return f"{text[:head].rstrip()}…{text[head + 1 - limit :].lstrip()}"


def step_label(step: float | None) -> str:
    """Return a training step, or tokens, in few characters: 0, 500, 5k, 1.5M, 15T. An unknown one is a question mark."""
    if step is None or math.isnan(step):
        return "?"
    for size, unit in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")):
        if abs(step) >= size:
            return f"{step / size:.6g}{unit}"
    return f"{step:g}"


def number(value: float | None, form: str = ".3f") -> str:
    """Return a number for reading, 0 without a sign; nothing for a missing one."""
    if value is None or math.isnan(value):
        return ""
    text = format(value, form)
    return text.replace("-", "−") if text.strip("-0.") else text.removeprefix("-")


def short_number(value: float | None, form: str = ".2f") -> str:
    """Return a number as `number` does in fewer characters: .87, −.02, and 1.0 for a whole one."""
    text = number(value, form)
    sign, digits = (text[0], text[1:]) if text.startswith(("+", "−")) else ("", text)  # no pattern: a heatmap has thousands
    if digits.startswith("0."):
        return sign + digits[1:]
    return f"{sign}1.0" if digits.startswith("1.00") and not digits[4:].strip("0") else text


CHARACTER = 6.2
"""Pixels of a character of a title at its 14, a little more than the mean of 5.7 that a browser draws."""

BEYOND = 24
"""Pixels that the title of the values may go beyond their axis, above and below together, where nothing else stands."""


def wrap_title(title: str, pixels: float) -> str:
    """Return an axis title, safe to draw, in as many lines as `pixels` need; what is in brackets begins a line of its own."""
    characters = max(int(pixels / CHARACTER), 12)
    if len(title) <= characters:
        return safe(title, None)
    lines = [line for part in parts_of(title) for line in textwrap.wrap(part, characters)]
    return "<br>".join(safe(line, None) for line in lines)


def in_one_line(title: str, pixels: float) -> str:
    """Return an axis title without the measure's name where it needs two lines: the figure's heading has that."""
    inside = parts_of(title)[1][1:].removesuffix(")")
    return inside[0].upper() + inside[1:] if inside and "<br>" in wrap_title(title, pixels) else title


def name_of(title: str) -> str:
    """Return the short name in an axis title: `Layer` of `Layer (0 = input embedding)`."""
    return parts_of(title)[0]


def parts_of(title: str) -> tuple[str, str]:
    """Return the name in an axis title, and the last brackets with what follows them: a measure's name may have its own."""
    found = _UNIT.fullmatch(title)
    if found:
        return found[1], found[2]
    name, bracket, rest = title.partition(" (")  # brackets that do not close
    return name, f"({rest}" if bracket else ""
