"""A measure in each of its variants, and the outcomes of other tasks that are drawn beside the one that is chosen."""

from __future__ import annotations

from collections.abc import Mapping

from isogloss.pages.relations.selection import Picked, Selection, default_of
from isogloss.pages.shared.relation_measures import Choice
from isogloss.pages.widgets.choosing.choices import select

NONE = "Nothing"


def choose_beside(others: Mapping[str, Picked]) -> str:
    """Draw the box of the outcome that is drawn beside the chosen one; `NONE` for none."""
    return select("Outcome beside it", [NONE, *others], "task_beside", width=320)


def outcomes_beside(selection: Selection) -> tuple[str, dict[str, Picked]]:
    """Return what the outcome is called, and the outcomes that can be drawn beside it: other tasks of the same model."""
    y, outcome = selection.y, selection.y.choice.label
    outcomes: dict[str, Picked] = {}
    for choice in selection.choices:
        if choice.words.task or choice is y.choice:
            for label, each in labelled(selection, choice, y):
                if each.reading.of == y.reading.of:
                    outcome = label
                elif each.scored and y.scored and each.scored.model == y.scored.model:
                    outcomes[label] = each
    return outcome, outcomes


def labelled(selection: Selection, choice: Choice, like: Picked | None = None) -> list[tuple[str, Picked]]:
    """Return the measure in each of its variants, read as the predictor is (or `like` another).

    What tells the variants apart is in its name.
    """
    several = [Choice(choice.label, choice.name, choice.words, (each,), None) for each in choice.variants]
    found = [default_of(one, selection.unit, like or selection.x) for one in (several or [choice])]
    picked = [each for each in found if each is not None]
    if len(picked) < 2:
        return [(choice.label, each) for each in picked]
    told = selection.workshop.told_apart([each.choice.variants[0] for each in picked])
    if len({corpus for corpus, *_ in told}) < 2:
        told = [own for _, *own in told]
    return [
        (f"{choice.label} ({', '.join(own)})" if own else choice.label, each) for own, each in zip(told, picked, strict=True)
    ]
