"""What is asked of a measure: whose scores, at which checkpoint and layer, and at which unit it meets another.

A reading holds all that its numbers depend on, as JSON: a page, a notebook and a test ask alike.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from isogloss.backend.files import added
from isogloss.backend.recipe_mark import in_recipes

Unit = Literal["pair", "language", "layer", "checkpoint", "model"]
"""What one point is: a pair of languages, a language, a layer, a checkpoint, a model."""
Along = Literal["checkpoint", "layer"]
"""What pairs or languages are pooled over: a point is then a pair at a checkpoint, or at a layer."""
Role = Literal["itself", "both", "source", "target"]
"""Which pairs a language's value is the mean of: that with itself (trained and tested in it), all with others, those it is the
source of, those it is the target of."""
LAST, MEAN, EACH = "last", "mean", "each"
SPEAKERS = "speakers"


class Scored(BaseModel):
    """One measure of one model, as the table of scores names it."""

    model_config = ConfigDict(frozen=True)

    experiment: str
    metric: str
    corpus: str | None
    variant: str | None
    checkpoints: tuple[str, ...] = Field(min_length=1)
    """Fingerprints of the model's, in the order of training."""
    steps: tuple[int | None, ...]
    """Their training steps, where known."""
    model: str = ""
    """Whose they are, as chosen: several models may share a checkpoint. Empty in what was kept before this was said."""
    dictionaries: tuple[str, ...] | None = added(None)
    """Ids of what paired the words, where several did; None: what did so first."""


class Given(BaseModel):
    """A number of each language, or of each pair, that is no score: a covariate, a typological distance, how many speak it."""

    model_config = ConfigDict(frozen=True)

    covariate: str | None = None
    """Content id of a kept table; else the product knows it."""
    column: str
    """Of the table; else the kind of distance, or `SPEAKERS`."""
    end: Literal["source", "target"] = "source"
    """Whose number a pair has."""
    languages: tuple[str, ...]


@in_recipes
class Reading(BaseModel):
    """A measure, and which part of it is read."""

    model_config = ConfigDict(frozen=True)

    of: Scored | Given
    models: dict[str, Scored] = {}
    """For the unit `model`, in place of `of`: the measure of each model by its name."""
    checkpoint: str = LAST
    """`last` (that has scores), `mean` over checkpoints, or a fingerprint; `each` where checkpoints are pooled over."""
    layer: int | Literal["last", "mean", "each"] = "mean"
    """`mean` over layers, the `last`, a number; `each` where layers are pooled over."""
    role: Role = "both"

    def rests_on(self) -> Scored | Given:
        """Return the measure with the checkpoints that are read of it, and no others."""
        if not isinstance(self.of, Scored) or self.checkpoint in (MEAN, EACH):
            return self.of
        return _at(self.of, self.checkpoint)

    def is_same(self, other: Reading) -> bool:
        """Return whether another reading gives the same numbers, whatever the model is called."""
        one, two = self.rests_on(), other.rests_on()
        if isinstance(one, Scored) and isinstance(two, Scored):
            one, two = (each.model_copy(update={"model": "", "steps": ()}) for each in (one, two))
        return (one, self.layer, self.role) == (two, other.layer, other.role)


@in_recipes
class Guides(BaseModel):
    """Measures to choose sources by, and whether each one's lowest or highest value is chosen."""

    model_config = ConfigDict(frozen=True)

    readings: dict[str, Reading]
    choose: dict[str, Literal["lowest", "highest"]]

    def rests_on(self) -> list[Scored | Given]:
        """Return every measure with the checkpoints that are read of it."""
        return [each.rests_on() for each in self.readings.values()]


@in_recipes
class Outcomes(BaseModel):
    """Measures that choices are judged by, such as the accuracies of two tasks, and which of their values are good."""

    model_config = ConfigDict(frozen=True)

    readings: dict[str, Reading]
    better: dict[str, Literal["higher", "lower"]]

    def rests_on(self) -> list[Scored | Given]:
        """Return every measure with the checkpoints that are read of it."""
        return [each.rests_on() for each in self.readings.values()]


@in_recipes
class Question(BaseModel):
    """Several measures read at one unit, each under a name of its own."""

    model_config = ConfigDict(frozen=True)

    unit: Unit
    along: Along | None = None
    readings: dict[str, Reading]

    def rests_on(self) -> list[Scored | Given]:
        """Return every measure with the checkpoints that are read of it, and no others."""
        every = self.readings.values()
        if self.unit == "model":
            return [each.model_copy(update={"of": of}).rests_on() for each in every for of in each.models.values()]
        return [each.of if self.unit == "checkpoint" else each.rests_on() for each in every]


def _at(of: Scored, checkpoint: str) -> Scored:
    last = checkpoint == LAST or checkpoint not in of.checkpoints
    at = len(of.checkpoints) - 1 if last else of.checkpoints.index(checkpoint)
    return of.model_copy(update={"checkpoints": of.checkpoints[at : at + 1], "steps": of.steps[at : at + 1]})
