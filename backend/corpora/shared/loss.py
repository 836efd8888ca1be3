"""No silent loss: how many rows of each file were left out, and above which share an import asks before it goes on.

One rule for every kind of import. Blank lines, and sentences that a translation lacks, hold nothing that could be lost.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_LOST = 0.02
"""The share of a file's rows that may be left out without a question."""
EXAMPLES = 3
"""Rows of each file that are shown."""
NAMED = 3
"""Files and reasons that a sentence names."""
NO_LINE = 0
"""In place of a line, of what no line of its file tells: a result among others in JSON."""


@dataclass(frozen=True)
class Loss:
    """What was left out of one file."""

    file: str
    lost: int
    rows: int
    """That hold something, those lost among them."""
    reasons: tuple[tuple[str, int, int], ...]
    """(reason, how many rows, the line of the first), most frequent first."""
    examples: tuple[tuple[int, str], ...]
    """The lines of the first of them, and what is wrong with each."""
    what: str = "row"

    @property
    def is_large(self) -> bool:
        """Return whether so much is lost that nobody should go on without having seen it."""
        return self.lost > MOST_LOST * self.rows

    @property
    def text(self) -> str:
        """`465 of 500 rows (93%) would be left out: a negative id (465, first in line 1)`."""
        listed = [
            f"{reason} ({number:,}{f', first in line {line:,}' if line != NO_LINE else ''})"
            for reason, number, line in self.reasons[:NAMED]
        ]
        more = f", and {len(self.reasons) - NAMED} other reasons" if len(self.reasons) > NAMED else ""
        share = 100 * self.lost / self.rows
        said = f"{share:.0f}" if share >= 10 else f"{share:.1f}"
        return f"{self.lost:,} of {self.rows:,} {self.what}s ({said}%) would be left out: {', '.join(listed)}{more}"


@dataclass
class Tally:
    """Rows read and lost so far, file by file."""

    rows: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, Counter[str]] = field(default_factory=dict)
    first: dict[tuple[str, str], int] = field(default_factory=dict)
    """(file, reason) → the line of the first."""
    examples: dict[str, list[tuple[int, str]]] = field(default_factory=dict)

    def read(self, file: str, rows: int) -> None:
        """Count rows of a file that hold something, whether they are kept or lost."""
        self.rows[file] += rows

    def lose(self, file: str, line: int, what: str, reason: str = "") -> None:
        """Count one row as lost: `what` is wrong with it, of which `reason` is the kind (itself if not given)."""
        reason = reason or what
        self.reasons.setdefault(file, Counter())[reason] += 1
        self.first.setdefault((file, reason), line)
        shown = self.examples.setdefault(file, [])
        if len(shown) < EXAMPLES and (line, what) not in shown:
            shown.append((line, what))

    def lost(self, file: str) -> int:
        """Count the rows of a file that were lost so far."""
        return sum(self.reasons.get(file, {}).values())

    def join(self, other: Tally) -> None:
        """Add what another tally counted of other files."""
        self.rows += other.rows
        self.reasons |= other.reasons
        self.first |= other.first
        self.examples |= other.examples

    def losses(self, what: str = "row") -> tuple[Loss, ...]:
        """Return what each file lost; files that lost nothing are left out."""
        found = []
        for file, own in self.reasons.items():
            reasons = tuple((reason, number, self.first[file, reason]) for reason, number in own.most_common())
            found.append(Loss(file, own.total(), max(self.rows[file], own.total()), reasons, tuple(self.examples[file]), what))
        return tuple(found)


def large(losses: Sequence[Loss]) -> list[Loss]:
    """Return the losses that nobody should go on without having seen."""
    return [each for each in losses if each.is_large]


def check(losses: Sequence[Loss], remedy: str) -> None:
    """Raise `CorpusError` with `remedy` where a file loses more than `MOST_LOST` of its rows."""
    found = large(losses)
    if not found:
        return
    first, others = found[0], found[1:]
    more = "".join(f"; {each.file}: {each.lost:,} of {each.rows:,}" for each in others[: NAMED - 1])
    more += f"; and {len(others) - NAMED + 1} more files" if len(others) >= NAMED else ""
    raise CorpusError(f"{first.text}{more}.", remedy=remedy, file=first.file)
