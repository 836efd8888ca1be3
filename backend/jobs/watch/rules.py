"""What a watch is to tell: a rule is a line of words, read by a small grammar, and asked of each checkpoint once it has scores.

Such as *meaning discrimination of layers 6 to 9 falls by more than its interval from one checkpoint to the next*, *language
discrimination of layer 4 rises by more than 0.05*, *meaning discrimination is below 0.7*.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from isogloss.backend.errors import SpecError, did_you_mean
from isogloss.backend.experiments import changes, registry

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from isogloss.backend.experiments.changes import Change
    from isogloss.backend.experiments.family import Measure
    from isogloss.backend.experiments.spec import PerCheckpoint
    from isogloss.backend.models.entry import Checkpoint

LONGEST = 300
_NUMBER = r"\d+(?:\.\d+)?"
_RULE = re.compile(
    r"(?:tell me when )?(?P<measure>.+?)(?: of layers? (?P<first>\d{1,4})(?: ?(?:to|-|–) ?(?P<last>\d{1,4}))?)? "
    rf"(?:(?P<moves>falls|rises) by more than (?:its (?P<interval>interval)|(?P<by>{_NUMBER}))"
    rf"(?: from one checkpoint to the next)?|is (?P<side>below|above) (?P<bound>{_NUMBER}))",
    re.IGNORECASE,
)
FORMS = (
    "Write: MEASURE of layers 6 to 9 falls by more than its interval from one checkpoint to the next; 'rises', a number in "
    "place of 'its interval', 'is below 0.7' and 'is above 0.7' serve as well, and without layers it is all of them."
)


How = Literal["falls", "rises", "below", "above"]


@dataclass(frozen=True)
class Rule:
    """A rule that was read."""

    text: str
    metric: str
    title: str
    """Of the measure."""
    layers: tuple[int, ...] | None
    """None for all."""
    how: How
    than: float | None
    """The number that it is held against; None for the interval of the difference."""

    @property
    def what(self) -> str:
        """The measure and its layers, in words."""
        if self.layers is None:
            return self.title
        if len(self.layers) == 1:
            return f"{self.title} of layer {self.layers[0]}"
        return f"{self.title} of layers {self.layers[0]} to {self.layers[-1]}"


def parse(text: str, experiment: str) -> Rule:
    """Read a rule on the measures of an experiment's family. Raises `SpecError` that says what it may be."""
    line = " ".join(text.split()).rstrip(".")
    shown = line if len(line) <= 80 else f"{line[:80]}…"
    read = _RULE.fullmatch(line) if len(line) <= LONGEST else None
    if read is None:
        raise SpecError(f"The rule '{shown}' is not understood. {FORMS}")
    metric, measure = _measure(read["measure"], experiment)
    first = None if read["first"] is None else int(read["first"])
    last = first if read["last"] is None else int(read["last"])
    if first is not None and last is not None and last < first:
        raise SpecError(f"The rule '{shown}' names layers {first} to {last}. Name the lower one first.")
    than = read["by"] or read["bound"]
    return Rule(
        text=line,
        metric=metric,
        title=measure.title,
        layers=None if first is None or last is None else tuple(range(first, last + 1)),
        how=next(each for each in get_args(How) if each == (read["moves"] or read["side"]).lower()),
        than=None if than is None else float(than),
    )


def _measure(words: str, experiment: str) -> tuple[str, Measure]:
    """Return the measure that is called so, by its title or its name in the table of scores."""
    known: Mapping[str, Measure] = next(
        each.measures for each in registry.FAMILIES if experiment in {one.name for one in each.experiments}
    )
    titles = {measure.title.casefold(): metric for metric, measure in known.items()}
    metric = titles.get(words.casefold(), words)
    if metric not in known:
        names = [measure.title for measure in known.values()]
        raise SpecError(f"A rule cannot be on '{words[:60]}'. {did_you_mean(words, names)}")
    return metric, known[metric]


def said(rule: Rule, spec: PerCheckpoint, before: Checkpoint | None, after: Checkpoint, workspaces: list[Path]) -> str | None:
    """Return what a rule says of a checkpoint that has scores, as a sentence; None where it does not hold or cannot be asked.

    `before` is the checkpoint that comes before it; None for the first.
    """
    if rule.how in ("below", "above"):
        now = changes.value(spec, after, rule.metric, rule.layers, workspaces)
        if now is None or rule.than is None or not (now.value < rule.than if rule.how == "below" else now.value > rule.than):
            return None
        return f"{rule.what} is {now.value:.3f} at {after.label}, {rule.how} {rule.than:g}."
    if before is None:
        return None
    found = changes.change(spec, before, after, rule.metric, rule.layers, workspaces)
    if found is None or not _moved(rule, found):
        return None
    went = "fell" if rule.how == "falls" else "rose"
    which = "paired" if found.paired else "the widest that it can have"
    interval = "without an interval"
    if not math.isnan(found.low):
        interval = f"95% interval {found.low:+.3f} to {found.high:+.3f}, {which}"
    steps = f"from {found.before:.3f} at {before.label} to {found.after:.3f} at {after.label}"
    return f"{rule.what} {went} {steps}: {found.difference:+.3f} ({interval})."


def _moved(rule: Rule, found: Change) -> bool:
    """Return whether the measure went as the rule says, by more than it says; by an interval that is not known, never."""
    sign = -1.0 if rule.how == "falls" else 1.0
    if rule.than is not None:
        return sign * found.difference > rule.than
    return found.high < 0 if rule.how == "falls" else found.low > 0


def validate(texts: tuple[str, ...], kept: Mapping[str, Any]) -> None:
    """Raise `SpecError` for the first rule that cannot be asked of what a watch measures."""
    for text in texts:
        parse(text, str(kept["experiment"]))
