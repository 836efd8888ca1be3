"""Results in a model's repository on the Hugging Face Hub: `.eval_results/*.yaml`, a list of data sets with a value each."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any

import yaml  # type: ignore[import-untyped]

from isogloss.backend.corpora.covariates.outcome import Found
from isogloss.backend.corpora.covariates.plain import not_utf8, rows, table, text, value_of
from isogloss.backend.corpora.shared.inputs import ARCHIVE
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from pathlib import Path

FILE = re.compile(r"\.ya?ml$", re.IGNORECASE)
FOLDERS = re.compile(r"[/\\]")
HOME = ".eval_results"
CACHED = re.compile(r"models--(.+)/snapshots/([0-9a-f]{7,40})$")
"""The end of the folders of a model's repository in the Hub's own cache."""
LARGEST = 1 << 20
"""Bytes: the files are written by hand, and YAML is slow to read."""


def parse(path: Path, name: str) -> Any:
    """Return what a YAML file says, in plain values.

    Raises `CorpusError` with file and line for what is none, is not UTF-8 or too large.
    """
    if path.stat().st_size > LARGEST:
        raise CorpusError("The file is larger than 1 MB.", remedy="Bring the results alone.", file=name)
    content = path.read_bytes()
    try:
        return yaml.safe_load(content)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        if isinstance(error, yaml.reader.ReaderError) and error.encoding == "utf-8":
            raise not_utf8(content, error.position, name) from error
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else None
        raise CorpusError("The file is no YAML.", remedy="Bring it as the Hub has it.", file=name, line=line) from error


def is_one(content: Any) -> bool:
    """Return whether YAML is such a list."""
    return isinstance(content, list) and any("dataset" in row and "value" in row for row in rows(content))


def read(content: list[Any], file: str, path: str) -> list[Found]:
    """Return the value of each entry. The file names no metric; its model is that of the folders it lies in (`path`)."""
    model, revision = _repository(path)
    found = []
    for row in map(table, content):
        dataset, source = table(row.get("dataset")), table(row.get("source"))
        name = text(dataset.get("id"))
        part = text(dataset.get("task_id")) or text(dataset.get("config"))
        base = name.split("/")[-1]
        task = base if part in ("", "default") else f"{base}_{part}"
        if base and part.casefold().startswith(base.casefold()):  # `belebele_deu_Latn` of `facebook/belebele`
            task = part
        said = row.get("date")
        found.append(
            Found(
                task=task,
                metric="value",
                value=value_of(row.get("value") if name else None),
                file=file,
                model=model,
                revision=revision,
                tool=" ".join(filter(None, ("Hugging Face Hub", text(source.get("name")) or text(source.get("url"))))),
                date=said.isoformat()[:10] if isinstance(said, date) else text(said)[:10],
                setting=", ".join(filter(None, (text(dataset.get("split")), text(row.get("notes"))))),
            )
        )
    return found


def _repository(path: str) -> tuple[str, str]:
    """Return the model's id, by the last two folders above `.eval_results`, and its revision, which the Hub's cache says."""
    parts = FOLDERS.split(path)
    folders = [part for part in parts[: parts.index(HOME) if HOME in parts else 0] if not ARCHIVE.search(part)]
    if cached := CACHED.search("/".join(folders)):
        return cached[1].replace("--", "/", 1), cached[2]
    return "/".join(folders[-2:]), ""
