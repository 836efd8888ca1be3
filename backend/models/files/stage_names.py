"""The stage of a training in a checkpoint's name, and the order of stages."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from isogloss.backend.models.files import stage_words as words
from isogloss.backend.models.files.name_parts import Item

Key = tuple[tuple[float, ...], ...]
PLAIN: Key = ((words.PRETRAINING, 1.0),)
"""Of a name without a stage: steps before any later stage, and those of `stage1` and `pretrain`, are one count."""
_SMALL = 100
"""A number below it that is glued to a stage's word counts stages (`mid2`), a greater one steps (`decay2000`)."""


@dataclass
class _Part:
    kind: int
    numbers: list[float]
    start: int
    end: int
    is_numbered: bool = False
    """A stage or phase with a number."""


def find_stage(name: str, items: list[Item]) -> tuple[str, Key]:
    """Return a stage's name as `name` spells it and its place among stages; takes the words and numbers of it."""
    parts = _parts(items)
    return _spelled(name, parts), _key(parts)


def _parts(items: list[Item]) -> list[_Part]:
    parts: list[_Part] = []
    place = 0
    while place < len(items):
        part, used = _part(items, place)
        if part is not None:
            for each in items[place : place + used]:
                each.taken = True
            parts.append(part)
        place += used
    return parts


def _part(items: list[Item], place: int) -> tuple[_Part | None, int]:
    """Return the part of a stage's name that begins here, and how many words and numbers it has."""
    item = items[place]
    after = items[place + 1 :]
    if item.word in words.NUMBERED | words.PARTS:
        numbers, used = _numbering(after)
        if not used:
            return None, 1
        end = after[used - 1].end
        return _Part(words.PRETRAINING, numbers, item.start, end, item.word in words.NUMBERED), 1 + used
    used, kind = 1, words.STAGES.get(item.word)
    if after and (pair := words.TWO_WORDS.get((item.word, after[0].word))) is not None:
        used, kind = 2, pair
    if kind is None or item.is_short_iteration:
        return None, 1
    rest = items[place + used :]
    numbers, more = _lengths(rest) if kind == words.LONG_CONTEXT else ([], 0)
    if not more and rest and rest[0].is_glued and rest[0].value is not None and rest[0].value < _SMALL and not rest[0].unit:
        numbers, more = [float(rest[0].value)], 1
    used += more
    return _Part(kind, numbers, item.start, items[place + used - 1].end), used


def _numbering(after: list[Item]) -> tuple[list[float], int]:
    """Return what numbers a stage (`2`, `1.5`, `2b`, `II`, `a`), and how many items say it."""
    if not after:
        return [], 0
    first = after[0]
    if first.value is not None:
        if first.unit in words.LETTERS and first.unit:  # `stage2b` is no stage of two billion
            return [float(first.value) / words.UNITS[first.unit], words.LETTERS.index(first.unit) + 1.0], 1
        if len(after) > 1 and after[1].is_glued and after[1].word and after[1].word in words.LETTERS:
            return [float(first.value), words.LETTERS.index(after[1].word) + 1.0], 2
        return [float(first.value)], 1
    if first.word in words.ROMAN:
        return [float(words.ROMAN[first.word])], 1
    if len(first.word) == 1 and first.word in words.LETTERS:
        return [words.LETTERS.index(first.word) + 1.0], 1
    return [], 0


def _lengths(rest: list[Item]) -> tuple[list[float], int]:
    """Return the lengths of a context that follow (`4k-to-32k`, `64k`), in tokens, and how many items say them.

    A single one is a length only where another number follows to be the step: `ext-1k`, `ext-2k`, `ext-3k` are steps.
    """
    numbers: list[float] = []
    used = 0
    for place, item in enumerate(rest):
        is_length = item.value is not None and item.unit in ("k", "m") and _thousands(item) in words.LENGTHS
        if is_length and item.value is not None:
            numbers.append(float(item.value))
            used = place + 1
        elif item.word != "to" or not numbers:
            break
    alone = len(numbers) == 1 and not any(each.value is not None for each in rest[used:])
    return ([], 0) if alone else (numbers, used)


def _thousands(item: Item) -> float:
    value = item.value or 0.0
    return value / 1000 if item.unit == "k" else value / 1_000_000 * 1024


def _spelled(name: str, parts: list[_Part]) -> str:
    """Join the parts as the name has them: with what parts them where nothing else stands between."""
    text = name[parts[0].start : parts[0].end] if parts else ""
    for before, part in pairwise(parts):
        between = name[before.end : part.start]
        text += ("-" if any(each.isalnum() for each in between) else between) + name[part.start : part.end]
    return text


def _key(parts: list[_Part]) -> Key:
    """Return the order of a stage: numbered stages and pre-training by number, post-training after all, else by kind.

    The first word leads, since `longctx-stage1` is a part of the extension and `stage2-decay` one of the second stage. In
    post-training the last thing done leads: `it-mid-training`, `it-SFT`, `it-soup-APO`.
    """
    if not parts:
        return PLAIN
    kinds = [part.kind for part in parts]
    if max(kinds) >= words.POST_TRAINING:
        lead: tuple[float, ...] = (max(kinds),)
    elif kinds[0] == words.PRETRAINING:
        numbered = next((part for part in parts if part.is_numbered), None)
        lead = (words.PRETRAINING, *(numbered.numbers if numbered else (1.0,)))
        # The rest: what is no name of pre-training itself.
        parts = [part for part in parts if part is not numbered and (part.kind != words.PRETRAINING or part.numbers)]
    else:
        lead = (kinds[0],)
    return (lead, *((part.kind, *part.numbers) for part in parts))
