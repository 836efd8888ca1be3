"""A measure of languages, whatever its family, at the places where they are spoken."""

from __future__ import annotations

from functools import partial

from isogloss.backend.experiments.on_a_map import of_languages
from isogloss.backend.experiments.relations import tables
from isogloss.pages.relations import cards
from isogloss.pages.relations.selection import Selection
from isogloss.pages.relations.views.groups import read_at_languages
from isogloss.pages.shared import answers, on_a_map
from isogloss.pages.shared.on_a_map import Measured, Wanted
from isogloss.pages.widgets.figures import cooked


def draw(selection: Selection) -> None:
    """Draw a map of the outcome and one of the predictor."""
    for picked, question in read_at_languages(selection):
        (measure,) = question.readings
        recipe = answers.recipe(tables.table, partial(of_languages, value=measure), question=question)
        title = picked.choice.words.title + (f": {picked.where}" if picked.where else "")
        on_a_map.draw(
            recipe,
            Wanted("languages"),
            Measured(picked.axis, cards.MAP),
            languages=sorted(cooked.rows(recipe)["source"].unique()),
            title=title,
            name=f"{title} on a map",
        )
