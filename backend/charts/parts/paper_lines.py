"""Lines of text on paper: how long they are, where they break, and how many a legend takes."""

from __future__ import annotations

import re
from typing import Any

from isogloss.backend.charts.parts.text import MARKUP

CHARACTER = 7.4
"""Width in pixels of a typical character of `for_print.TEXT`."""


def length_of(text: str) -> int:
    """Return the characters of the longest line of a text, markup and entities as they are drawn."""
    return max(len(re.sub(r"&[^;]+;", "&", MARKUP.sub("", line))) for line in text.split("<br>"))


def wrapped(text: str, characters: int) -> list[str]:
    """Return `text`, escaped as it is, in lines: a character's entity counts as one and is not cut."""
    lines: list[str] = []
    for word in text.split():
        both = f"{lines[-1]} {word}" if lines else word
        if lines and length_of(both) <= characters:
            lines[-1] = both
        else:
            lines.append(word)
    return lines


def entries_of(found: dict[str, Any], characters: int) -> list[str]:
    """Return what the legend names, long names in lines."""
    shown = []
    for trace in (*found["data"], *found["layout"].get("shapes", ())):
        named = trace.get("name") and trace.get("showlegend", trace["type"] not in ("rect", "line", "heatmap"))
        if named:
            parts = str(trace["name"]).split("<br>")
            trace["name"] = "<br>".join(line for part in parts for line in wrapped(part, characters))
            shown.append(trace["name"])
    return shown


def rows_of(entries: list[str], pixels: float) -> int:
    """Return how many lines a legend has whose entries stand beside each other where there is room."""
    rows, left = 1, pixels
    for entry in entries:
        wide = length_of(entry) * CHARACTER + 46
        if wide > left and left < pixels:
            rows, left = rows + 1, pixels
        left -= wide
        rows += entry.count("<br>")
    return rows
