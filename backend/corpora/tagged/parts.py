"""Train, validation and test: which part is split from which where a language's files lack one.

| the files have | train | validation | test |
|---|---|---|---|
| all three | train | validation | test |
| train, validation (XTREME, whose tests have no tags) | train | half of validation | half of validation |
| train, test | 90% of train | 10% of train | test |
| validation, test | 80% of validation | 20% of validation | test |
| one part | 80% of it | 10% of it | 10% of it |

Which sentences: by their ids, drawn once for all languages of the corpus, so that translations never stand in two parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from isogloss.backend.corpora.tasks.task import draws

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

Part = Literal["train", "validation", "test"]
PARTS: tuple[Part, ...] = get_args(Part)
SEED = 0


@dataclass(frozen=True)
class Share:
    """The sentences of a source's part from one place of their drawn order to another, in percent of them."""

    source: Part
    start: int = 0
    end: int = 100

    @property
    def whole(self) -> bool:
        """Whether it is all of the part."""
        return self.end - self.start == 100


def share(present: Collection[Part], part: Part) -> Share:
    """Return what `part` is of a language whose files have the parts `present` (at least one)."""
    match [each for each in PARTS if each in present]:
        case ["train", "validation", "test"]:
            return Share(part)
        case ["train", "validation"]:
            return {"train": Share("train"), "validation": Share("validation", 0, 50), "test": Share("validation", 50, 100)}[
                part
            ]
        case ["train", "test"]:
            return {"train": Share("train", 10, 100), "validation": Share("train", 0, 10), "test": Share("test")}[part]
        case ["validation", "test"]:
            own = {"train": Share("validation", 20, 100), "validation": Share("validation", 0, 20), "test": Share("test")}
            return own[part]
        case [only]:
            return {"train": Share(only, 20, 100), "validation": Share(only, 0, 10), "test": Share(only, 10, 20)}[part]
    raise ValueError("There is no part to split.")


def chosen(ids: Iterable[str], share: Share, together: Mapping[str, str] | None = None) -> frozenset[str]:
    """Return the ids that belong to a share of a part; `ids` are all that any language has in it, in any order.

    Ids of one group in `together` (id → the id that its group is named by; the others are groups of their own) stand in one
    share: that in which the drawn order of groups has the group begin.
    """
    groups: dict[str, list[str]] = {}
    for each in sorted(set(ids)):
        groups.setdefault(each if together is None else together.get(each, each), []).append(each)
    order = np.argsort(draws(SEED, "tagged parts", [members[0] for members in groups.values()]), kind="stable")
    drawn = [list(groups.values())[place] for place in order.tolist()]
    sizes = np.array([len(members) for members in drawn], np.int64)
    begins = sizes.cumsum() - sizes
    first, last = (round(int(sizes.sum()) * at / 100) for at in (share.start, share.end))
    there = (first <= begins) & (begins < last)
    return frozenset(each for members, here in zip(drawn, there.tolist(), strict=True) if here for each in members)


def words(share: Share) -> str:
    """`train`, `half of validation`, `10% of train`."""
    size = share.end - share.start
    return share.source if share.whole else f"{'half' if size == 50 else f'{size}%'} of {share.source}"
