"""A third language below sentences that the reader may not know."""

from __future__ import annotations

from collections.abc import Collection

from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.choosing.selecting import language_name

NONE = "None"


def choose(languages: Collection[str], shown: Collection[str], *, parallel: bool = True) -> str | None:
    """Draw the box of the translation's language, of those that are not `shown` already.

    At first it is English where that is there and surely says the same, its text being here (`parallel`).
    """
    able = sorted((tag for tag in languages if tag not in shown), key=lambda tag: (tag != "en", language_name(tag)))
    if not able:
        return None
    names = {NONE: "no other language"} | {tag: language_name(tag) for tag in able}
    english = list(names).index("en") if parallel and "en" in names else 0
    chosen = select("Translation in", list(names), "gloss", width=190, index=english, named=names.__getitem__)
    return None if chosen == NONE else chosen
