"""Python that gives a figure's numbers again, to paste into a notebook in the repository's folder.

Every snippet is run by `tests/pages/transfer/test_transfer_page.py` and must give the very rows that its figure was drawn from.
"""

from __future__ import annotations

from pages.transfer.shared.frames import NAMES
from pages.transfer.shared.selection import BY, Selection

HEAD = """\
import pandas as pd

from backend.experiments.transfer import summary as transfer_summary
from backend.settings import settings
from backend.store import records
from backend.experiments.transfer import queries as transfer_queries

# With ISOGLOSS_WORKSPACE set as it was for the server that showed the figure.
"""


def snippet(
    selection: Selection,
    call: str,
    *,
    corrupted: bool = False,
    of_source: str = "",
    module: str = "transfer_summary",
    first: str = "",
    then: str = "",
) -> str:
    """Code that calls `transfer_summary.<call>` on the errors of the runs looked at.

    `call` is the function with all its arguments: `igaps(errors, by, 0.0, 0.001)`; `module` is where it is, if elsewhere.
    `of_source` leaves the runs trained on one language. `first` is what is done with `errors` before, `then` what the figure
    does afterwards with `frame`.
    """
    chosen = selection.runs_of_any_corruption if corrupted else selection.runs
    runs = "".join(f"        {tuple(row)!r},\n" for row in chosen[NAMES].values.tolist())
    return (
        f"{HEAD}runs = pd.DataFrame(\n    [\n{runs}    ],\n    columns={NAMES!r},\n)\n"
        "files = {file.run: file.path for file in records.files(settings().workspaces) if file.run in set(runs['run'])}\n"
        f"errors = transfer_queries.errors(sorted(files.values()), {list(selection.targets)!r}).merge(runs, on='run')\n"
        + (f"errors = errors[errors['source'] == {of_source!r}]\n" if of_source else "")
        + f"by = {BY!r}\n"
        f"{first}frame = {module}.{call}\n"
        f"{then}print(frame)\n"
    )
