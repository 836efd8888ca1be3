"""`isogloss.evaluations`: scores as the files that others read."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from isogloss.backend.errors import SpecError, did_you_mean
from isogloss.backend.experiments.evaluations.files import Form, files
from isogloss.backend.public.place import at

if TYPE_CHECKING:
    from os import PathLike

    import pandas as pd


def evaluations(
    scores: pd.DataFrame, form: Form = "eval_results", *, dataset: str = "", workspace: str | PathLike[str] | None = None
) -> dict[str, str]:
    """Return scores as evaluations that others read, a file a checkpoint: its name, with folders, and its text.

    Args:
        scores: As `isogloss.scores` and `isogloss.measure` return them.
        form: `eval_results`, the Hub's `.eval_results/*.yaml`: the mean of each measure and layer, and that of each language,
            an `EvalResultEntry` of `huggingface_hub` each; or `every_eval_ever`: every score by that schema, 0.3.0, with its
            interval.
        dataset: Of `eval_results` alone: the Hub's id of what corpora are that were not fetched from there.
        workspace: Its folder, where models and corpora are looked up; by default that of the command line and the dashboard.

    Raises:
        SpecError: There is no such form; a corpus is of no data set of the Hub; `huggingface_hub` lacks these classes.
    """
    if form not in get_args(Form):
        raise SpecError(f"There is no form '{form}'. {did_you_mean(form, get_args(Form))}")
    rows = scores.assign(
        model_name=scores["model"], corpus_name=scores["corpus"], checkpoint=scores["fingerprint"], corpus=scores["corpus_id"]
    )
    with at(workspace) as settings:
        return files(rows, settings.workspaces, form, dataset)
