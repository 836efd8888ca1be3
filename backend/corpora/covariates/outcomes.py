"""Results files of other tools become columns of outcomes: which numbers are of which language, model and task."""

from __future__ import annotations

import math
import re
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isogloss.backend.corpora.covariates import every_eval, hub_results, lm_eval, mteb
from isogloss.backend.corpora.covariates.outcome import NO_REVISION, Cell, Found, Outcome, better_of, unit_of
from isogloss.backend.corpora.covariates.plain import not_utf8, table
from isogloss.backend.corpora.covariates.task_languages import languages_of
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.shared.inputs import InputFile, expand, listed, printable
from isogloss.backend.corpora.shared.loss import NO_LINE, Tally
from isogloss.backend.errors import CorpusError, on_one_line
from isogloss.backend.files import parse_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from isogloss.backend.corpora.shared.loss import Loss

LEAVE = "-"
"""In place of a language: the task is left out."""
SEVERAL = "several languages"
TOOLS = "lm-evaluation-harness, MTEB, Every Eval Ever or the Hub (`.eval_results/*.yaml`)"
MAX_COLUMNS, MAX_TASKS = 2000, 50_000
CONTENT = re.compile(r"\.(json|ya?ml)$", re.IGNORECASE)


@dataclass(frozen=True)
class Gathered:
    """What results files say."""

    outcomes: Mapping[str, Outcome]
    """By column."""
    values: Mapping[str, Mapping[str, float]]
    """Column → language → number."""
    cells: Mapping[str, Mapping[str, Cell]]
    asked: tuple[str, ...]
    """Tasks whose language no name tells, and nobody said."""
    warnings: tuple[str, ...]
    losses: tuple[Loss, ...] = ()


@dataclass
class _Read:
    found: list[Found] = field(default_factory=list)
    lost: list[Found] = field(default_factory=list)
    """Without a number."""
    aside: list[str] = field(default_factory=list)
    """Files that hold no results."""
    groups: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)


def read(files: Sequence[InputFile], *, tasks: Mapping[str, str] | None = None, model: str = "") -> Gathered:
    """Return the outcomes in results files and archives of them, whatever their order.

    `tasks` say the languages of tasks whose names do not tell them (`-` leaves one out); those that nobody tells are `asked`,
    and counted as lost. `model` is whose all numbers are, in place of what the files say. Raises `CorpusError` with the file
    for what is no results file, numbers without a model, two of one language.
    """
    with tempfile.TemporaryDirectory(prefix="isogloss-") as into:
        inputs, notes = expand(files, Path(into))
        read_now = _all(inputs)
    read_now.notes[:0] = notes
    found = [_owned(each, model) for each in read_now.found]
    nameless = next((each for each in found if not each.model), None)
    if nameless is not None:
        raise CorpusError(
            "The file names no model.",
            remedy="Say whose results these are, bring its model_meta.json too, or a .zip of the model's folder.",
            file=printable(nameless.file),
        )
    return _gather(found, read_now, {name: _said(tag) for name, tag in (tasks or {}).items()})


def _owned(each: Found, model: str) -> Found:
    """Return a number as `model`'s, if that is said, else as the file's: `main` is no revision, whoever writes it."""
    if model:
        return replace(each, model=model, revision="")
    return replace(each, revision="") if each.revision in NO_REVISION else each


def _said(name: str) -> str:
    return LEAVE if name.strip() in ("", LEAVE) else language(name.strip()).tag


def _all(inputs: Sequence[InputFile]) -> _Read:
    contents = [(file, _json(file)) for file in inputs]
    metas = {mteb.folder(file.whole): table(content) for file, content in contents if file.base == mteb.META}
    read_now = _Read()
    for file, content in contents:
        name, shown = on_one_line(file.whole), printable(file.name)
        if file.base == mteb.META:
            continue
        numbers: list[Found] = []
        if lm_eval.is_one(content):
            numbers, groups = lm_eval.read(content, name)
            read_now.groups.update(groups)
        elif mteb.is_one(content):
            numbers = mteb.read(content, name, *map(printable, mteb.model_of(file.whole, metas)))
        elif every_eval.is_one(content):
            numbers = every_eval.read(content, name)
        elif hub_results.is_one(content):
            numbers = hub_results.read(content, name, file.whole)
        else:
            read_now.aside.append(shown)
            continue
        known = [each for each in numbers if math.isfinite(each.value)]
        read_now.found += known
        read_now.lost += [each for each in numbers if not math.isfinite(each.value)]
        if not known:
            read_now.notes.append(f"{shown} holds no number.")
    if read_now.aside and not read_now.found:
        raise CorpusError(
            "The file holds no results that Isogloss knows.", remedy=f"Bring those of {TOOLS}.", file=read_now.aside[0]
        )
    if read_now.aside:
        read_now.notes.append(f"Left aside, as no results are in it: {listed(read_now.aside, 5)}.")
    if not read_now.found:
        why = f": {_numberless(read_now.lost[0])}" if read_now.lost else ""
        raise CorpusError(f"The files hold no results{why}.", remedy=f"Bring those of {TOOLS}.")
    return read_now


def _json(file: InputFile) -> Any:
    """Return what a file of JSON or YAML says; nothing of another, such as a model's card or answers to single examples."""
    if not CONTENT.search(file.base):
        return None
    if hub_results.FILE.search(file.base):
        return hub_results.parse(file.path, printable(file.name))
    try:
        return parse_json(file.path.read_bytes(), partial(_once, printable(file.name)))
    except UnicodeDecodeError as error:
        raise not_utf8(error.object, error.start, printable(file.name)) from error
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise CorpusError(
            "The file is no JSON.", remedy="Bring it as its tool wrote it.", file=printable(file.name), line=line
        ) from error


def _once(file: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON. Raises `CorpusError` where a name is there twice: the first of the two would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for place, (name, _) in enumerate(pairs) if name in dict(pairs[:place]))
        raise CorpusError(f"'{printable(twice)}' is there twice in one object.", remedy="Keep one of the two.", file=file)
    return found


def _gather(found: Sequence[Found], read_now: _Read, told: Mapping[str, str]) -> Gathered:
    names = dict.fromkeys(each.task for each in found if not each.languages)
    if len(names) > MAX_TASKS:
        raise CorpusError(f"The files hold {len(names):,} tasks.", remedy=f"Bring {MAX_TASKS:,} at most at once.")
    by_name = languages_of(names)
    means = {group for group in read_now.groups if group not in by_name and group not in told}
    inside = [group for group in read_now.groups if group in by_name]
    tally, asked = Tally(), dict[str, None]()
    apart: dict[str, dict[str, None]] = {LEAVE: {}, SEVERAL: {}}
    piles: dict[tuple[str, ...], dict[str, list[Found]]] = defaultdict(lambda: defaultdict(list))
    for each in found:
        if each.task in means or any(each.task.startswith(f"{group}_") for group in inside):
            continue
        task, tag = _placed(each, by_name, told)
        if tag in (LEAVE, SEVERAL):  # as asked, or as it is: nothing is wrong with the file
            apart[tag].setdefault(printable(each.task))
            continue
        file = printable(each.file)
        tally.read(file, 1)
        if tag is None:
            asked.setdefault(each.task)
            tally.lose(file, NO_LINE, f"'{printable(each.task)}' is of no known language", "of no known language")
            continue
        piles[task, each.metric, each.model, each.revision, each.setting][tag].append(each)
    for each in read_now.lost:
        if each.task not in means:
            tally.read(printable(each.file), 1)
            tally.lose(printable(each.file), NO_LINE, _numberless(each), "without a number")
    if means:
        read_now.notes.append(f"Groups are left out, as they are means of tasks: {listed(sorted(map(printable, means)), 5)}.")
    for why, tasks in (("as asked", apart[LEAVE]), ("of several languages", apart[SEVERAL])):
        if tasks:
            read_now.notes.append(f"Left out, {why}: {listed(list(tasks), 5)}.")
    if asked:
        read_now.notes.append(f"No language is known of {listed(list(map(printable, asked)), 5)}.")
    if inside:
        read_now.notes.append(f"Means of a language's tasks stand for these: {listed(sorted(map(printable, inside)), 5)}.")
    columns = _columns(piles, read_now.notes)
    return Gathered(
        {outcome.column: outcome for outcome, _, _ in columns},
        {outcome.column: values for outcome, values, _ in columns},
        {outcome.column: cells for outcome, _, cells in columns},
        tuple(asked),
        tuple(read_now.notes),
        tally.losses("result"),
    )


def _columns(
    piles: Mapping[tuple[str, ...], Mapping[str, Sequence[Found]]], notes: list[str]
) -> list[tuple[Outcome, dict[str, float], dict[str, Cell]]]:
    """Return every outcome with its numbers, and add to `notes` what is to be said of them."""
    columns = [_column(key, pile) for key, pile in piles.items()]
    again = dict.fromkeys(printable(each.file) for pile in piles.values() for same in pile.values() for each in same[1:])
    if again:
        notes.append(f"Numbers that other files have, too, are kept once, with all sources: {listed([*again], 5)}.")
    if len(columns) > MAX_COLUMNS:
        raise CorpusError(f"The files hold {len(columns):,} outcomes.", remedy=f"Bring {MAX_COLUMNS:,} at most at once.")
    percent = [outcome.title for outcome, _, _ in columns if outcome.unit == "percent"]
    if percent:
        notes.append(f"Read as percent, as some values are above 1: {listed(sorted({*percent}), 5)}.")
    return columns


def _numberless(each: Found) -> str:
    return f"{printable(each.task) or 'A result'} has no number as its {printable(each.metric)}"


def _placed(each: Found, by_name: Mapping[str, tuple[str, str]], told: Mapping[str, str]) -> tuple[str, str | None]:
    """Return the task without its language, and the language: as the file says it, as people do, as the name does."""
    tags = {_tag(name) for name in each.languages}
    if len(tags) > 1:
        return each.task, SEVERAL
    if (tag := next(iter(tags), None)) is not None:
        return each.task, tag
    return (each.task, told[each.task]) if each.task in told else by_name.get(each.task, (each.task, None))


def _tag(name: str) -> str | None:
    try:
        return language(name).tag
    except CorpusError:
        return None


def _column(key: tuple[str, ...], pile: Mapping[str, Sequence[Found]]) -> tuple[Outcome, dict[str, float], dict[str, Cell]]:
    """Return an outcome with its numbers, by language. What several files say alike is one number, with all their sources.

    Raises `CorpusError` where two numbers of a language differ, or are of one file.
    """
    task, metric, model, revision, setting = key
    found = [each for same in pile.values() for each in same]
    said = {each.unit for each in found}
    unit = said.pop() if len(said) == 1 else None
    unit = unit or unit_of(metric, [each.value for each in found])
    better = next((each.better for each in found if each.better), None) or better_of(metric)
    outcome = Outcome(printable(task), printable(metric), model, revision, setting, unit, better)
    for tag, (first, *others) in pile.items():
        for other in others:
            alike = (first.value, first.n, first.error) == (other.value, other.n, other.error)
            if not alike or len({each.file for each in pile[tag]}) < len(pile[tag]):
                raise CorpusError(
                    f"{outcome.column} has two numbers of {tag}, the other in {printable(first.file)}.",
                    remedy="Bring one of the two, or say a language of each task.",
                    file=printable(other.file),
                )
    sources = {tag: "; ".join(each.cell.source for each in same) for tag, same in pile.items()}
    cells = {tag: replace(same[0].cell, source=sources[tag]) for tag, same in pile.items()}
    return outcome, {tag: same[0].value for tag, same in pile.items()}, cells
