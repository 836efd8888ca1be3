"""What the columns and the names of a task's files mean: texts by language, second sentences, labels, parts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.parallel.tabular import CODE, IDS, OTHER
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.shared.inputs import InputFile
    from isogloss.backend.corpora.shared.tables import Table
    from isogloss.backend.corpora.tasks.rows import PartName

Role = Literal["text", "pair", "label"]
NAMES: dict[Role, tuple[str, ...]] = {
    "text": ("text", "sentence1", "sentence_1", "premise", "sentence", "text_a", "text1", "question1", "content"),
    "pair": ("text_pair", "sentence2", "sentence_2", "hypothesis", "text_b", "text2", "question2"),
    "label": ("label", "gold_label", "labels", "class", "category", "intent"),
}
ROW_IDS = ("row_id", "pairid", "pair_id", "example_id", "guid", *IDS)
SPLITS = ("split", "part", "set")
PARTS: dict[str, PartName] = {
    **dict.fromkeys(("train", "training"), "train"),
    **dict.fromkeys(("test", "testing"), "test"),
    **dict.fromkeys(("dev", "development", "validation", "valid", "val"), "dev"),
}
AFFIXED = [
    (role, re.compile(rf"{name}[-_. ](?P<after>.+)|(?P<before>.+)[-_. ]{name}", re.IGNORECASE))
    for role, names in NAMES.items()
    for name in names
]


def of_language(table: Table, column: str) -> tuple[Role, str] | None:
    """What a column such as `premise_en`, `de_text` or `sw` holds, and of which language (as it is written); None for others.

    Raises `CorpusError` for a name that looks like a code of a language and is none.
    """
    candidates = []
    for role, pattern in AFFIXED:
        if match := pattern.fullmatch(column):
            candidates.append((role, match["after"] or match["before"]))
    reserved = {*ROW_IDS, *SPLITS, *OTHER, *(name for names in NAMES.values() for name in names), "language", "lang"}
    if not candidates and column.lower() not in reserved and _has_words(table.columns[column]):
        candidates = [("text", column)]
    # `text_pair_en` also reads as the language 'pair_en': the shortest rest is what the role leaves.
    for role, rest in sorted(candidates, key=lambda each: len(each[1])):
        try:
            language(rest)
        except CorpusError as error:
            if CODE.fullmatch(rest) and len(candidates) == 1:
                raise CorpusError(
                    f"The column '{column}': {error.problem}", remedy=error.remedy, file=table.file, line=1
                ) from None
        else:
            return role, rest
    return None


def of_file(file: InputFile) -> tuple[PartName, str | None]:
    """The part and the language's name that a file's name says: `dev-en.tsv`, `xnli.test.zh-Hant.tsv`, `de/train.tsv`."""
    steps = [step for step in re.split(r"[/\\]", re.sub(r"\.gz$", "", file.name, flags=re.IGNORECASE)) if step]
    part: PartName = ""
    for place, step in enumerate(reversed(steps[-3:])):
        stem = re.sub(r"\.\w+$", "", step) if place == 0 else step
        pieces = re.split(r"[-_. ]", stem)
        parts = [PARTS[piece.lower()] for piece in pieces if piece.lower() in PARTS]
        part = part or (parts[0] if len(parts) == 1 else "")
        rest = [piece for piece in pieces if piece.lower() not in PARTS]
        for start in range(len(rest)):
            name = "-".join(rest[start:])
            try:
                language(name)
            except CorpusError:
                continue
            return part, name
    return part, None


def part_of(value: Any, table: Table, line: int) -> PartName:
    """Return what a row's own column says. Raises `CorpusError` for anything but names of train, dev and test."""
    if isinstance(value, str) and value.strip().lower() in PARTS:
        return PARTS[value.strip().lower()]
    raise CorpusError(
        f"{str(value)[:40]!r} is no part of a task.", remedy="Write train, dev or test.", file=table.file, line=line
    )


def label_of(value: Any, table: Table, line: int) -> str:
    """Return a label as text; nothing where there is none. Raises `CorpusError` for what is no class (a fraction, a list)."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case int() | str():
            return str(value).strip()
        case float() if value != value:  # what pandas writes for a missing number
            return ""
        case float() if value.is_integer():
            return str(int(value))
    raise CorpusError(
        f"The label {str(value)[:40]!r} is no class.", remedy="Write a name or a whole number.", file=table.file, line=line
    )


def _has_words(values: Sequence[Any]) -> bool:
    """Return whether a column holds text, as far as its first rows tell; an empty one may."""
    some = [value for value in values[:500] if value not in (None, "")]
    return not some or any(isinstance(value, str) and any(c.isalpha() for c in value) for value in some)
