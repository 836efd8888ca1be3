"""A checkpoint's name as words and numbers, in their order, whatever parts them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from isogloss.backend.models.files import stage_words as words

_ENDINGS = re.compile(r"\.(pt|pth|ckpt|bin|safetensors|tar)\s*$")
_DATE = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}([-_.]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12][0-9]|3[01])(?![0-9])")
_PART = re.compile(
    r"[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3}(?:_[0-9]{3}){2,}(?![0-9])|[0-9]+(?:\.[0-9]+(?![0-9.]))?"
    r"|(?:stage|phase)(?=(?:i{1,3}|iv|vi?|[a-f])(?![a-z]))|[a-z]+"
)
"""A number (`1,000`, `1_000_000`, `1.5`), `stage` of `stageII`, or a word."""
_DIGITS = 30
"""That a number has at most; more count nothing."""


@dataclass
class Item:
    """A word, or a number with its unit; what it is taken for is noted as the name is read."""

    start: int
    end: int
    word: str = ""
    value: float | None = None
    """Of a number, with its unit."""
    unit: str = ""
    is_decimal: bool = False
    """Written with a point and without a unit: a version, unless an epoch or a stage is counted so."""
    is_glued: bool = False
    """Nothing parts it from what stands before it."""
    taken: bool = False
    counts: Literal["", "steps", "tokens"] = ""
    is_short_iteration: bool = False
    """`it` before a number of its own: `it5000`, not the `it` of instruction-tuned."""

    @property
    def is_step(self) -> bool:
        """Whether a step could be written so."""
        return self.value is not None and self.unit in words.STEP_UNITS and not self.is_decimal

    @property
    def is_understood(self) -> bool:
        """Whether this is a number, or a word that is known to mean nothing else than a place in a training."""
        known = words.STEPS | words.SAVED | words.TOKENS | words.EPOCHS | words.NEUTRAL
        return self.value is not None or self.taken or self.word in known


def read(name: str) -> list[Item]:
    """Return the words and numbers of a name. A number glued to a word that is not known belongs to it and is left out."""
    text = "".join(each.lower() if each.isascii() else " " for each in name)  # places stay those of `name`
    text = _ENDINGS.sub(lambda match: " " * len(match.group()), text)
    text = _DATE.sub(lambda match: " " * len(match.group()), text)
    parts = [(match.start(), match.end(), match.group()) for match in _PART.finditer(text)]
    items: list[Item] = []
    for start, end, part in parts:
        is_glued = bool(items) and items[-1].end == start
        if part[0].isdigit():
            items.append(_number(start, end, part, is_glued=is_glued))
        elif is_glued and items[-1].value is not None and not items[-1].unit and (unit := _unit(part)):
            number, rest = items[-1], part[len(unit) :]
            number.value, number.unit, number.end = _times(number.value, unit), unit, start + len(unit)
            number.is_decimal = False
            if rest:
                items.append(Item(number.end, end, rest, is_glued=True))
        else:
            items.append(Item(start, end, part, is_glued=is_glued))
    _mark_iterations(items)
    return _without_names(items)


def _number(start: int, end: int, part: str, *, is_glued: bool) -> Item:
    digits = part.replace(",", "").replace("_", "")
    value = float("inf") if len(digits) > _DIGITS else _exact(digits)
    return Item(start, end, value=value, is_decimal="." in digits, is_glued=is_glued)


def _exact(digits: str) -> float:
    return float(digits) if "." in digits else int(digits)


def _times(value: float | None, unit: str) -> float:
    if value is None or value == float("inf"):
        return float("inf")
    product = Fraction(str(value)) * words.UNITS[unit]
    return int(product) if product.denominator == 1 else float(product)


def _unit(part: str) -> str:
    """Return the unit that a word behind a number begins with, where nothing but a counted thing follows it."""
    if part in words.UNITS:
        return part
    return part[0] if part[0] in words.UNITS and part[1:] in words.STEPS | words.TOKENS else ""


def _mark_iterations(items: list[Item]) -> None:
    for item, after in pairwise(items):
        item.is_short_iteration = item.word == "it" and after.is_glued and after.value is not None


def _without_names(items: list[Item]) -> list[Item]:
    """Leave out numbers that belong to a name: the 3 of `llama3`, the 1 of `rc1` and `v1`, the 1 and the 0 of `seed1.0`."""
    kept: list[Item] = []
    for item in items:
        before = kept[-1] if kept else None
        if item.value is not None and item.is_glued and before is not None and before.word and not _is_known(before):
            before.end = item.end
            continue
        kept.append(item)
    return kept


def _is_known(item: Item) -> bool:
    counting = words.STEPS | words.SAVED | words.TOKENS | words.EPOCHS | words.NEUTRAL
    staged = words.NUMBERED | words.PARTS | frozenset(words.STAGES)
    return item.word in counting | staged or item.is_short_iteration
