"""Table 1 of de Seyssel et al. 2025 with one's own regressions beside it: probe accuracy ~ LD + MD."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.relations import regressions
from isogloss.backend.experiments.relations.cubes import score_files
from isogloss.backend.experiments.relations.printed import tables as printed
from isogloss.backend.recipe_mark import depends_on, in_recipes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from isogloss.backend.experiments.relations.reading import Question

OUTCOME, LD, MD = "accuracy", "LD", "MD"
"""What the measures are called in the questions."""
KEY = ["setting", "task", "checkpoint"]
TERMS = [f"{name}{part}" for name in (LD, MD) for part in ("", "_p", "_p_permuted")]


@in_recipes
@depends_on(score_files)
def table(
    workspaces: Sequence[Path],
    task: str,
    monolingual_last: Question,
    monolingual_mean: Question,
    crosslingual_last: Question | None = None,
) -> pd.DataFrame:
    """Return a row a regression of `task` (POS, NER, NLI or another's name), and the printed rows of the other tasks.

    Columns: setting (`Prob.`, `CL`), task, checkpoint (`Last`, `Avg.`), of one's own r2 (0 to 1), n and of LD and MD the
    coefficient, p and p from permuting languages; printed_r2, printed_LD and printed_MD as printed; `why` there is none of
    one's own, where one was asked for.
    """
    asked = {("Prob.", "Avg."): monolingual_mean, ("Prob.", "Last"): monolingual_last, ("CL", "Last"): crosslingual_last}
    own_rows = [_row((setting, task, at), question, workspaces) for (setting, at), question in asked.items() if question]
    names = {"r2": "printed_r2", "language_discrimination": f"printed_{LD}", "meaning_discrimination": f"printed_{MD}"}
    published = printed.regressions().rename(columns=names)
    published = published.assign(checkpoint=published["checkpoint"].replace("Avg", "Avg."))
    columns = [*KEY, "r2", "n", *TERMS, "why"]
    merged = published.merge(pd.DataFrame(own_rows, columns=columns), on=KEY, how="outer", sort=False)
    places = {each: place for place, each in enumerate(published[KEY].itertuples(index=False, name=None))}
    order = [places.get(key, len(places)) for key in merged[KEY].itertuples(index=False, name=None)]
    merged = merged.iloc[pd.Series(order).sort_values(kind="stable").index].reset_index(drop=True)
    return merged[[*columns[:-1], *names.values(), "why"]]


def _row(where: tuple[str, str, str], question: Question, workspaces: Sequence[Path]) -> dict[str, object]:
    key: dict[str, object] = dict(zip(KEY, where, strict=True))
    try:
        fitted = regressions.fit(question, workspaces, OUTCOME)
    except SpecError as error:
        return key | {"why": str(error)}
    found: dict[str, object] = {"r2": fitted.regression.r2, "n": fitted.regression.n}
    for each in fitted.regression.coefficients:
        found |= {each.name: each.value, f"{each.name}_p": each.p, f"{each.name}_p_permuted": fitted.permuted[each.name].p}
    return key | found
