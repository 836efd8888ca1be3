"""Python that gives a ranking's numbers again; `tests/pages/transfer/test_transfer_ranking_page.py` runs it
and compares the rows."""

from __future__ import annotations

from pages.transfer.ranking.data import Sides
from pages.transfer.shared.frames import NAMES
from pages.transfer.shared.selection import BY, Selection

PRINTED = """\
from backend.experiments.transfer.printed import tables as igap

frame = igap.ranking_accuracies()
print(frame)
"""
HEAD = """\
import pandas as pd

from backend.experiments.transfer import ranking as transfer_ranking, summary as transfer_summary
from backend.settings import settings
from backend.store import records, scores
from backend.experiments.transfer import queries as transfer_queries

# With ISOGLOSS_WORKSPACE set as it was for the server that showed the figure.


def errors(runs, targets):
    files = {file.run: file.path for file in records.files(settings().workspaces) if file.run in set(runs['run'])}
    return transfer_queries.errors(sorted(files.values()), targets).merge(runs, on='run')


"""


def snippet(sides: Sides, layer: str, at_layer: int, fixed: str, at: float, epsilon: float) -> str:
    """Code that ranks the directions of this model as the figure does. `layer` is a number, else the best aligned."""
    wanted = "".join(f"    {key!r},\n" for key in sides.wanted())
    found = repr(at_layer) if layer.isdigit() else "transfer_ranking.best_aligned_layer(similarity)"
    return (
        f"{HEAD}by, names = {BY!r}, {NAMES!r}\n{_runs('gold', sides.gold)}"
        f"tags = {sides.names!r}  # the corpus's languages: the task's\n"
        "gold = transfer_summary.accuracies(gold, by)\n"
        f"{_igap(sides, at, epsilon)}"
        f"wanted = [  # run, source, target\n{wanted}]\n"
        "have = scores.shards(settings().workspaces, 'similarity')\n"
        "files = [shard.path for shard in have if shard.path.stem in {run for run, _, _ in wanted}]\n"
        "similarity = transfer_ranking.renamed(transfer_queries.similarities(files, wanted), tags)\n"
        f"predictions = transfer_ranking.predictions(igap, similarity, {found})\n"
        f"frame = transfer_ranking.ranking(gold, predictions, {fixed!r})\nprint(frame)\n"
    )


def _igap(sides: Sides, at: float, epsilon: float) -> str:
    if sides.predicted.runs.empty:
        return "igap = pd.DataFrame(columns=['source', 'target', 'value'])  # no runs yet\n"
    found = f"transfer_summary.igaps(igap, by, {at!r}, {epsilon!r})"
    return f"{_runs('igap', sides.predicted)}igap = transfer_ranking.renamed({found}, tags)\n"


def _runs(name: str, selection: Selection) -> str:
    runs = "".join(f"    {tuple(row)!r},\n" for row in selection.runs[NAMES].values.tolist())
    return f"runs = [\n{runs}]\n{name} = errors(pd.DataFrame(runs, columns=names), {list(selection.targets)!r})\n"
