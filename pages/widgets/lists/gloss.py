"""A third language below sentences that the reader may not know."""

from __future__ import annotations

from collections.abc import Collection

from pages.widgets.choosing.choices import select
from pages.widgets.choosing.selecting import language_name

NONE = "None"


def choose(languages: Collection[str], shown: Collection[str]) -> str | None:
    """Draw the box of the gloss' language, of those that are not `shown` already: none by default, English proposed first."""
    able = sorted((tag for tag in languages if tag not in shown), key=lambda tag: (tag != "en", language_name(tag)))
    names = {NONE: NONE} | {tag: language_name(tag) for tag in able}
    chosen = select("Gloss", list(names), "gloss", width=190, named=names.__getitem__, help="Translation in a third language.")
    return None if chosen == NONE else chosen
