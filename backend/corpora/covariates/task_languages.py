"""The language in the name of a task: `belebele_deu_Latn`, `xnli_de`, `include_base_44_german`, `afrimgsm_hau_prompt_1`."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Kind = Literal["script", "two letters", "three letters", "name", "region", "other"]

FULL = re.compile(r"[a-z]{2,3}[-_][A-Z][a-z]{3}")
"""A code with its script: nothing else looks so."""
SHAPES: dict[Kind, re.Pattern[str]] = {
    "script": re.compile(r"[a-z]{2,3}[-_]([A-Z]?[a-z]{3,4}|[A-Z]{2})"),  # or its region, as certain: `zh_CN`
    "region": re.compile(r"[a-z]{2}[-_][a-z]{2}"),  # or two languages: `pt_br`, `en-de`
    "two letters": re.compile(r"[a-z]{2}"),
    "three letters": re.compile(r"[a-z]{3}"),
    "name": re.compile(r"[a-z]{4,}", re.IGNORECASE),
}
PART = re.compile(r"[^_:/]+")
SCRIPTS = frozenset([
    "arab", "armn", "beng", "cyrl", "deva", "ethi", "geor", "grek", "gujr", "guru", "hang", "hans", "hant", "hebr", "jpan",
    "khmr", "knda", "kore", "laoo", "latn", "mlym", "mtei", "mymr", "nkoo", "olck", "orya", "sinh", "taml", "telu", "tfng",
    "thai", "tibt",
])  # fmt: skip
"""As names of tasks write them small; nothing else that looks so is one."""
SHORT_WORDS = frozenset([
    "am", "as", "ba", "be", "cs", "he", "id", "in", "is", "it", "mt", "my", "no", "om", "or", "sa", "so", "te", "to",
])  # fmt: skip
"""Codes of two letters that tasks are called by for another reason (`polemo2_in`, `arxiv_cs`), too."""
NO_CODES = frozenset([
    "all", "bio", "cal", "chn", "con", "cot", "dev", "gen", "law", "lev", "max", "med", "min", "mix", "msa", "neg", "one",
    "pos", "pro", "two", "gpt", "ch",
])  # fmt: skip
"""Codes that tasks are called by for another reason: `msa` is Standard Arabic, `lev` Levantine, `chn` and `ch` Chinese."""
NO_NAMES = frozenset(["bench", "beng", "orya", "sari"])
"""Names of languages that are more often a benchmark, a script or a dialect."""
COUNTRIES = {"jp": "ja", "cn": "zh"}
"""Countries that stand for a language, and are no language's code."""


@dataclass(frozen=True)
class _Slot:
    """Words of a task's name that may be its language."""

    key: str
    """The name with a hole in their place."""
    said: str
    kind: Kind
    tag: str | None
    last: bool

    @property
    def place(self) -> tuple[str, bool]:
        """What the tasks have in common that may differ here, in one word or in two codes in a row."""
        return self.key, self.kind == "region"

    @property
    def stem(self) -> str:
        """The task's name without them."""
        before, _, after = self.key.partition("\0")
        return before.rstrip("_:/") + after


@dataclass(frozen=True)
class _Family:
    """What tasks have in one place that are called alike but for it."""

    members: int
    differ: bool
    """Each has another language there."""
    mostly: bool
    """More than half have one, two at least, and all their languages differ."""
    letters: int
    """How many have two letters there."""
    codes: int
    """Of how many these are a language."""
    regions: Mapping[str, str | None] | None
    """As of `_regions`, where all are two codes in a row."""

    @classmethod
    def made(cls, slots: list[_Slot]) -> _Family:
        """Return what is known of a place from all that stands there."""
        tags = [slot.tag for slot in slots if slot.tag]
        apart = 1 < len(tags) == len({*tags})
        short = [slot.tag for slot in slots if slot.kind == "two letters"]
        return cls(
            len(slots),
            apart and len(tags) == len(slots),
            apart and 2 * len(tags) > len(slots),
            len(short),
            sum(tag is not None for tag in short),
            _regions([slot.said for slot in slots]) if slots[0].kind == "region" else None,
        )

    def short(self, slot: _Slot) -> bool:
        """Return whether a code of two letters is a language, beside those of other tasks."""
        return 2 * self.codes > self.letters and (self.codes > 1 or slot.said not in SHORT_WORDS)

    def tell(self, slot: _Slot) -> bool:
        """Return whether the tasks differ in their language there."""
        if slot.kind == "two letters" and slot.last:
            return self.members > 1 and self.short(slot)
        return self.mostly if slot.kind == "name" else self.differ


def named_alone(name: str) -> bool:
    """Return whether a name is a language's and nothing else: its English name, or its code with a script."""
    return bool(FULL.fullmatch(name) or SHAPES["name"].fullmatch(name)) and _tag(name) is not None


def languages_of(tasks: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return task → (its name without the language, the language's tag), of the tasks whose names say one language for sure.

    A code with a script is one wherever it stands. Else it is what tasks differ in, where several have the same name but for
    it and each has a language there; or the last word alone, if it is an English name or a code of two letters and most of two
    letters in that place are (a code that is an English word too needs another beside it). Two codes in a row are a language
    with its region (`pt_br`) where that is its home, or most of those in that place are; else they are two languages, as of a
    translation, and none is the task's.
    """
    slots = {task: list(_slots(task)) for task in dict.fromkeys(tasks)}
    places: dict[tuple[str, bool], list[_Slot]] = defaultdict(list)
    for own in slots.values():
        for slot in own:
            places[slot.place].append(slot)
    families = {place: _Family.made(family) for place, family in places.items()}
    found = {task: _chosen(own, families) for task, own in slots.items()}
    return {task: (slot.stem, tag) for task, one in found.items() if one for slot, tag in [one]}


def _slots(task: str) -> Iterator[_Slot]:
    parts = list(PART.finditer(task))
    for size in (2, 1):
        for first in range(1, len(parts) - size + 1):
            begin, end = parts[first].start(), parts[first + size - 1].end()
            said, last = task[begin:end], first + size == len(parts)
            kind: Kind = next((kind for kind, shape in SHAPES.items() if shape.fullmatch(said)), "other")
            if kind == "script" and not (FULL.fullmatch(said) or said[-2:].isupper() or said[-4:] in SCRIPTS):
                kind = "other"
            tag = _tag(said) if kind not in ("region", "other") and said.lower() not in NO_CODES | NO_NAMES else None
            if size == 1 or kind in ("script", "region"):
                yield _Slot(f"{task[:begin]}\0{task[end:]}", said, kind, COUNTRIES.get(said, tag), last)


def _chosen(slots: list[_Slot], families: Mapping[tuple[str, bool], _Family]) -> tuple[_Slot, str] | None:
    """Return which words of a task say its language, and the language; None where none does for sure."""
    scripts = [(slot, slot.tag) for slot in slots if slot.kind == "script" and slot.tag]
    if scripts:
        return scripts[0] if len(scripts) == 1 else None
    for slot in slots:
        if slot.kind == "region" and (regions := families[slot.place].regions) is not None:
            return (slot, tag) if (tag := regions[slot.said]) else None
    told = [(slot, slot.tag) for slot in slots if slot.tag and families[slot.place].tell(slot)]
    if told:
        return max(told, key=lambda each: (families[each[0].place].members, each[0].last))
    last = next((slot for slot in reversed(slots) if slot.last), None)
    others = [slot for slot in slots if slot is not last and slot.kind != "region"]
    if last is None or last.tag is None or any(slot.kind == "name" and slot.tag for slot in others):
        return None
    if any(families[slot.place].mostly for slot in others):  # as others say it there, where this one has something unknown
        return None
    sure = last.kind == "name" or (last.kind == "two letters" and families[last.place].short(last))
    return (last, last.tag) if sure else None


def _regions(words: Iterable[str]) -> dict[str, str | None] | None:
    """Return words of two codes → the language in that region, None of two languages; None where they say nothing."""
    said = sorted({*words})
    if not any(_tag(each[:2]) and each[:2] not in SHORT_WORDS for each in said):
        return None
    apart = [each for each in said if each[:2] != each[-2:]]
    homes = [each for each in apart if _tag(each[-2:]) is None or each[-2:] == "in" or _in_region(each) == _tag(each[:2])]
    if any("-" in each and _tag(each[-2:]) for each in apart) or 2 * len(homes) <= len(apart):
        return {each: _tag(each[:2]) if each[:2] == each[-2:] else None for each in said}
    if any(each[:2] in SHORT_WORDS for each in said) and len(homes) < 2:
        return None
    several = {each for each in said if sum(other[:2] == each[:2] for other in said) > 1}
    return {each: _in_region(each) if each in several else _tag(each[:2]) for each in said}


def _in_region(said: str) -> str | None:
    return _tag(f"{said[:2]}-{said[-2:].upper()}")


@lru_cache(maxsize=1 << 16)
def _tag(said: str) -> str | None:
    try:
        return language(said).tag
    except CorpusError:
        return None
