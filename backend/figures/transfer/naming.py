"""What models, directions and languages are called in the figures of transfer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.corpora.languages.languages import language

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

ARROW = " → "


def names(rows: pd.DataFrame, differing: Sequence[str]) -> pd.Series:
    """Return what tells the models of `rows` apart: the model, and its values of the columns `differing`."""
    said = rows["model"].astype(str)
    for name in differing:
        said = said + ", " + (rows[name].map("corruption {:g}".format) if name == "corruption" else rows[name])
    return said


def with_labels(rows: pd.DataFrame, by: Sequence[str], differing: Sequence[str]) -> pd.DataFrame:
    """`rows` with `name`, what tells its models (values of `by`) apart, and `line`, that without the model."""
    codes = rows.groupby(list(by), sort=False, dropna=False).ngroup().to_numpy()
    models = rows.drop_duplicates(list(by))  # in the order of the codes; a scatter has 100,000 rows
    said = names(models, differing).to_numpy(object)
    lines = [name[len(model) :].removeprefix(", ") for name, model in zip(said, models["model"], strict=True)]
    return rows.assign(name=said[codes], line=np.array(lines, object)[codes])


def directions(rows: pd.DataFrame) -> pd.Series:
    """Return what the direction of each row (source, target) is called."""
    return rows["source"].astype(str) + ARROW + rows["target"].astype(str)


def spoken(tag: str) -> str:
    """Return a language's name and tag."""
    return f"{language(tag).name} · {tag}"
