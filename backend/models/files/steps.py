"""Where in a training a checkpoint stands, read from its name: stage, step, tokens; and checkpoints in that order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from isogloss.backend.models.files import stage_words as words
from isogloss.backend.models.files.name_parts import Item, read
from isogloss.backend.models.files.stage_names import PLAIN, Key, find_stage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_FAIRSEQ_EPOCH = re.compile(r"checkpoint_?[0-9]+\.pt", re.IGNORECASE)
_MOST = 2**63 - 1
"""What a column of whole numbers holds."""
_LONG = 1000
"""A longer number before `tokens` counts them even without a unit; `llama-3-tokens` is no training of three tokens."""

_T = TypeVar("_T")


@dataclass(frozen=True)
class Place:
    """Where in a training a checkpoint stands, as far as its name tells."""

    stage: str = ""
    """As the name spells it: `stage2-ingredient1`, `lc-4k-to-32k`; empty where it names none."""
    epoch: float | None = None
    step: int | None = None
    tokens: int | None = None
    stage_key: Key = PLAIN
    """Orders stages; equal for two spellings of one."""

    @property
    def is_counted(self) -> bool:
        """Whether the name tells how far the training was."""
        return (self.epoch, self.step, self.tokens) != (None, None, None)

    @property
    def told(self) -> int:
        """How many of step, tokens, stage and epoch the name tells."""
        return sum((self.step is not None, self.tokens is not None, bool(self.stage), self.epoch is not None))

    @property
    def is_known(self) -> bool:
        """Whether the name tells anything."""
        return self.told > 0


@lru_cache(maxsize=4096)
def parse(name: str) -> Place:
    """Return what a checkpoint's name tells of its place in the training.

    Reads words and numbers, whatever parts them: `stage1-step-40000`, `stage2-ingredient1-step1000-tokens5B`,
    `lc-4k-to-32k-step-4000`, `phase-2_iter_005000`, `anneal-step2000`, `1000B` and `2T-tokens` (tokens), `10k` and `143000`
    (steps), `epoch3-step500`, Composer's `ep0-ba20000-rank0.pt` and fairseq's `checkpoint_<epoch>_<updates>.pt`. Versions
    (`v1.0`, `rc1`), dates, seeds, `main` and sizes of models (`llama-7b`) tell nothing.
    """
    items = read(name)
    stage, key = find_stage(name, items)
    epoch = _counted(items, words.EPOCHS)
    step = _counted(items, words.STEPS)
    tokens = _counted(items, words.TOKENS)
    if step is None:
        epoch, step = _saved(items, epoch, name)
    if tokens is None:
        tokens = _bare_tokens(items)
    if step is None and tokens is None:
        step = _bare_step(items)
    return Place(stage, epoch, _whole(step), _whole(tokens), key)


def natural_key(name: str) -> tuple[tuple[int, int | str], ...]:
    """Return a sorting key that orders the numbers inside names as numbers: `epoch2` before `epoch10`."""
    parts = re.split(r"([0-9]{1,30})", name)
    return tuple((0, int(part)) if part.isascii() and part.isdigit() else (1, part) for part in parts if part)


def in_order(items: Iterable[_T], name: Callable[[_T], str]) -> list[_T]:
    """Items in the order of the training, by their names: by stage, then epoch, step and tokens.

    Where a stage's names do not all tell the same, one that tells no step comes after those that do. Names that tell nothing
    come after all others, in the order given.
    """
    named = [(parse(name(item)), name(item), item) for item in items]
    known = [each for each in named if each[0].is_known]
    known.sort(key=lambda each: (*_key(each[0]), natural_key(each[1])))
    return [item for _, _, item in known] + [item for place, _, item in named if not place.is_known]


def _key(place: Place) -> tuple[Key, float, float, float]:
    after = float("inf")
    # An epoch orders only what counts neither steps nor tokens, or restarts them: both grow with it.
    count = [after if each is None else float(each) for each in (place.step, place.tokens)]
    epoch = place.epoch if place.epoch is not None else after if count == [after, after] else 0.0
    return place.stage_key, epoch, count[0], count[1]


def _counted(items: list[Item], what: frozenset[str]) -> float | None:
    """Return the number beside the last of these words, and take it: after the word, else before it."""
    found = None
    for place, item in enumerate(items):
        if item.word not in what and not (what is words.STEPS and item.is_short_iteration):
            continue
        before = items[place - 1] if place else None
        after = items[place + 1] if place + 1 < len(items) else None
        fits = [each for each in (after, before) if each is not None and _fits(each, what, is_before=each is before)]
        if not fits:
            continue
        # `100-steps-500M-tokens`: the number after is that of the next word, which has none behind it.
        chosen = fits[-1] if len(fits) == 2 and _is_taken_by_next(items, place) else fits[0]
        chosen.taken, chosen.counts = True, "tokens" if what is words.TOKENS else "steps"
        found = chosen.value
    return found


def _fits(item: Item, what: frozenset[str], *, is_before: bool) -> bool:
    if item.value is None or item.taken:
        return False
    if what is words.TOKENS:
        return item.unit != "" or item.value >= _LONG or not is_before
    if what is words.EPOCHS:
        return item.unit == ""
    return item.is_step


def _is_taken_by_next(items: list[Item], place: int) -> bool:
    """Whether the number after is followed by a word of its own that has no number behind it."""
    rest = items[place + 2 :]
    counting = words.STEPS | words.TOKENS | words.EPOCHS
    return bool(rest) and rest[0].word in counting and (len(rest) == 1 or rest[1].value is None)


def _saved(items: list[Item], epoch: float | None, name: str) -> tuple[float | None, float | None]:
    """Return epoch and step of `checkpoint-500`, and of fairseq's `checkpoint_<epoch>_<updates>` and `checkpoint<epoch>.pt`."""
    for place, item in enumerate(items):
        if item.word not in words.SAVED:
            continue
        numbers = []
        for each in items[place + 1 :]:
            if not each.is_step or each.taken:
                break
            numbers.append(each)
        if len(numbers) > 2 or not numbers:
            continue
        for each in numbers:
            each.taken, each.counts = True, "steps"
        if len(numbers) == 1 and _FAIRSEQ_EPOCH.fullmatch(name.strip()):
            return numbers[0].value, None
        return numbers[0].value if len(numbers) == 2 else epoch, numbers[-1].value
    return epoch, None


def _bare_tokens(items: list[Item]) -> float | None:
    """Return a number in billions or trillions that stands behind a step, or in a name that says nothing else; or `200bt`."""
    is_plain = all(item.is_understood for item in items)
    for place, item in enumerate(items):
        if item.value is None or item.taken or item.unit not in words.TOKEN_UNITS:
            continue
        if is_plain or item.unit in words.ONLY_TOKENS or (place and items[place - 1].counts == "steps"):
            item.taken, item.counts = True, "tokens"
            return item.value
    return None


def _bare_step(items: list[Item]) -> float | None:
    """Return the one number of a name that says nothing else: `143000`, `10k`, `decay-2000`."""
    free = [item for item in items if item.value is not None and not item.taken]
    if len(free) != 1 or not free[0].is_step or not all(item.is_understood for item in items):
        return None
    return free[0].value


def _whole(number: float | None) -> int | None:
    return None if number is None or not number <= _MOST or number != int(number) else int(number)
