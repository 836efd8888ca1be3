"""An outcome regressed on other measures, with p-values that know of shared languages (de Seyssel et al. 2025, table 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.relations.cubes import score_files
from isogloss.backend.experiments.relations.tables import join
from isogloss.backend.experiments.words import count
from isogloss.backend.metrics import permutation
from isogloss.backend.metrics.regression import Regression, least_squares, partial_residuals
from isogloss.backend.recipe_mark import depends_on, in_recipes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from isogloss.backend.experiments.relations.reading import Question

COLUMNS = ["predictor", "coefficient", "standard_error", "low", "high", "p", "p_permuted", "standardised"]


@dataclass(frozen=True)
class Fitted:
    """A regression, and the p of each predictor from permuting languages: MRQAP with double semi-partialling."""

    regression: Regression
    permuted: dict[str, permutation.Permuted]

    def frame(self) -> pd.DataFrame:
        """Return a row the intercept and each predictor: `COLUMNS`."""
        rows = [
            (
                each.name,
                each.value,
                each.standard_error,
                each.low,
                each.high,
                each.p,
                self.permuted[each.name].p if each.name in self.permuted else np.nan,
                each.standardised,
            )
            for each in (self.regression.intercept, *self.regression.coefficients)
        ]
        return pd.DataFrame(rows, columns=COLUMNS)


@in_recipes
@depends_on(score_files)
def fit(question: Question, workspaces: Sequence[Path], outcome: str) -> Fitted:
    """Regress `outcome` on all other measures of the question.

    Raises `SpecError`, in the regression's words, where that cannot be done: too few rows, a constant or redundant predictor.
    """
    joined = join(question, workspaces)
    predictors = [name for name in joined.arrays if name != outcome]
    frame = joined.frame()
    try:
        regression = least_squares(frame[outcome], {name: frame[name] for name in predictors})
    except ValueError as error:
        raise SpecError(str(error)) from error
    every = joined.shared(outcome, *predictors)
    permuted = permutation.regression(every[0], dict(zip(predictors, every[1:], strict=True)), pairs=joined.pairs)
    return Fitted(regression, permuted)


@in_recipes
@depends_on(score_files)
def coefficients(question: Question, workspaces: Sequence[Path], outcome: str) -> pd.DataFrame:
    """Return the table of a regression: see `Fitted.frame`."""
    return fitted_table(fit(question, workspaces, outcome))


@in_recipes
def fitted_table(fitted: Fitted) -> pd.DataFrame:
    """Return the table of a regression that was fitted: see `Fitted.frame`."""
    return fitted.frame()


def dropped(kept: int, left_out: int, noun: str) -> str:
    """Say in words how many rows a regression lacks: `46 of 90 pairs dropped (missing values)`."""
    return f"{left_out:,} of {count(kept + left_out, noun)} dropped (missing values)"


@in_recipes
@depends_on(score_files)
def partial(question: Question, workspaces: Sequence[Path], outcome: str) -> pd.DataFrame:
    """Return what the other predictors leave of each and of the outcome: unit, predictor, x, y; a row a point and predictor."""
    frame = join(question, workspaces).frame()
    predictors = {name: frame[name] for name in question.readings if name != outcome}
    units = frame.drop(columns=[*predictors, outcome])
    parts = []
    for name in predictors:
        try:
            x, y = partial_residuals(frame[outcome], predictors, name)
        except ValueError as error:
            raise SpecError(str(error)) from error
        parts.append(units.assign(predictor=name, x=x, y=y))
    return pd.concat(parts, ignore_index=True).dropna(subset=["x", "y"], ignore_index=True)
