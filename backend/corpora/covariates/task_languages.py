"""The language in the name of a task: `belebele_deu_Latn`, `xnli_de`, `include_base_44_german`."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterable

FULL = re.compile(r"[a-z]{2,3}[-_][A-Z][a-z]{3}")
"""A code with its script: nothing else looks so."""
CODE = re.compile(r"[a-z]{2}(-[A-Za-z]{2,4})?")
LONG_CODE = re.compile(r"[a-z]{3}(-[A-Za-z]{2,4})?")
WORD = re.compile(r"[a-z]{4,}", re.IGNORECASE)
PART = re.compile(r"[^_:]+")
NO_CODES = frozenset(
    [
        "all",
        "bio",
        "cal",
        "con",
        "cot",
        "dev",
        "gen",
        "law",
        "max",
        "med",
        "min",
        "mix",
        "neg",
        "one",
        "pos",
        "pro",
        "two",
        "gpt",
    ]
)
"""Codes of three letters that tasks are called by for another reason."""


def named_alone(name: str) -> bool:
    """Return whether a name is a language's and nothing else: its English name, or its code with a script."""
    return bool(FULL.fullmatch(name) or WORD.fullmatch(name)) and _tag(name) is not None


def languages_of(tasks: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return task → (its name without the language, the language's tag), of the tasks whose last words say a language.

    A code with a script, one of two letters and a name are taken as they are; one of three letters, which many English words
    are too (`mmlu_pro`, `gsm8k_cot`: see `NO_CODES`), only where other tasks have the same name but for it and each ends in
    one: of `mmlu_pro_law` and `mmlu_pro_math` none does.
    """
    found: dict[str, tuple[str, str]] = {}
    families: dict[str, dict[str, str | None]] = defaultdict(dict)
    for task in dict.fromkeys(tasks):
        parts = PART.findall(task)
        for size in (2, 1):
            said = "_".join(parts[-size:])
            stem = task[: -len(said)].rstrip("_:")
            if len(parts) <= size or not stem:
                continue
            sure = FULL.fullmatch(said) or (size == 1 and (CODE.fullmatch(said) or WORD.fullmatch(said)))
            tag = _tag(said)
            if size == 1:
                families[stem][task] = tag if LONG_CODE.fullmatch(said) and said not in NO_CODES else None
            if sure and tag:
                found[task] = stem, tag
                break
    for stem, own in families.items():
        unsure = {task: tag for task, tag in own.items() if task not in found}
        tags = [tag for tag in unsure.values() if tag]
        if 1 < len(tags) == len(unsure) == len(set(tags)):
            found |= {task: (stem, tag) for task, tag in unsure.items() if tag}
    return found


def _tag(said: str) -> str | None:
    try:
        return language(said).tag
    except CorpusError:
        return None
