"""What several commands need: the workspaces, a corpus or model by what people call it, tables on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from backend.corpora import library as corpora
from backend.corpora import task_library as tasks
from backend.corpora.library import CorpusEntry
from backend.corpora.task_library import TaskEntry
from backend.errors import SpecError, did_you_mean
from backend.settings import settings


def workspaces() -> list[Path]:
    """The user's workspace first, then the demo's."""
    return settings().workspaces


def corpus_named(name: str) -> CorpusEntry:
    """A kept corpus by its name or by the beginning of its id. Raises `SpecError` for none or several."""
    entries = corpora.entries(workspaces())
    found = [entry for entry in entries if entry.name == name] or [entry for entry in entries if entry.id.startswith(name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise SpecError(f"Several corpora are called '{name}'. Use the beginning of an id: {', '.join(e.id for e in found)}.")
    remedy = did_you_mean(name, [entry.name for entry in entries]) if entries else "Import one with `corpus import`."
    raise SpecError(f"There is no corpus '{name}'. {remedy}")


def task_named(name: str) -> TaskEntry:
    """A kept labelled task by its name or by the beginning of its id. Raises `SpecError` for none or several."""
    entries = tasks.entries(workspaces())
    found = [entry for entry in entries if entry.name == name] or [entry for entry in entries if entry.id.startswith(name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise SpecError(f"Several tasks are called '{name}'. Use the beginning of an id: {', '.join(e.id for e in found)}.")
    remedy = did_you_mean(name, [entry.name for entry in entries]) if entries else "Import one with `task import`."
    raise SpecError(f"There is no task '{name}'. {remedy}")


def table(rows: Sequence[Sequence[object]], header: Sequence[str]) -> str:
    """Aligned columns."""
    lines = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines)


def size(count: float) -> str:
    """Bytes for people."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
