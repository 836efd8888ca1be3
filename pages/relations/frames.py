"""The rows behind the figures of Relations as a scatter takes them, and the groups of languages."""

from __future__ import annotations

import pandas as pd

from backend.corpora.languages.languages import language, name_of
from backend.errors import CorpusError
from backend.experiments.relations.reading import Question

NAMES = {"Nothing": "groups", "Language family": "families", "Script": "scripts"}
COLOURS = list(NAMES)


def group(tag: str, by: str) -> str:
    """Return the family or script of a language; `Unknown` of what is none."""
    try:
        found = language(tag)
    except CorpusError:
        return "Unknown"
    return found.family if by == "Language family" else found.script_name


def points(frame: pd.DataFrame, question: Question, x: str, y: str, by: str, labels: dict[str, str]) -> pd.DataFrame:
    """Return the rows as a scatter takes them: name, group, x, y."""
    if question.unit == "pair":
        tags = {tag: (name_of(tag), group(tag, by)) for tag in {*frame["source"], *frame["target"]}}
        ends = [(tags[a], tags[b]) for a, b in zip(frame["source"], frame["target"], strict=True)]
        names = [f"{a[0]} – {b[0]}" for a, b in ends]
        groups = [a[1] if a[1] == b[1] else f"Two {NAMES[by]}" for a, b in ends]
    else:
        keys = frame[question.unit].astype(str).tolist()
        known = {key: _place(key, question.unit, labels) for key in dict.fromkeys(keys)}
        names = [known[key] for key in keys]
        groups = [group(key, by) if question.unit == "language" else "" for key in keys]
    if question.along:
        where = [_place(str(key), question.along, labels) for key in frame[question.along]]
        names = [f"{name}, {place}" for name, place in zip(names, where, strict=True)]
    if by == "Nothing":
        groups = [""] * len(names)
    return pd.DataFrame({"name": names, "group": groups, "x": frame[x], "y": frame[y]})


def _place(key: str, unit: str, labels: dict[str, str]) -> str:
    match unit:
        case "language":
            return name_of(key)
        case "layer":
            return f"layer {key}"
        case "checkpoint":
            return labels.get(key, key)
        case _:
            return key
