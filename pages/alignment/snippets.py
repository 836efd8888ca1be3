"""Python that gives a figure's numbers again, to paste into a notebook in the repository's folder.

Every snippet is run by `tests/pages/alignment/test_alignment_page.py` and must give the very rows that its figure was
drawn from.
"""

from __future__ import annotations

from collections.abc import Sequence

from backend.models.entry import Checkpoint, Model
from pages.alignment import frames
from pages.alignment.selection import Selection

HEAD = """\
import pandas as pd

from backend.settings import settings
from backend.experiments.alignment import queries as alignment_queries
from backend.store import scores

# With ISOGLOSS_WORKSPACE set as it was for the server that showed the figure.
have = scores.shards(settings().workspaces, 'alignment')
"""


def snippet(
    selection: Selection,
    call: str,
    *,
    of: Sequence[tuple[Model, Checkpoint]],
    measures: Sequence[str] = ("weak", "strong"),
    variants: Sequence[str] | None = None,
    then: str = "",
) -> str:
    """Code that calls `backend.experiments.alignment.queries.<call>` on the files of this selection and names the checkpoints.

    `of` are the checkpoints; `then` is what the figure does afterwards.
    """
    checkpoints = [checkpoint for _, checkpoint in of]
    wanted = "".join(f"    {key!r},\n" for key in selection.wanted(checkpoints, selection.pairs))
    known = "".join(
        f"    {(each.fingerprint, model.name, each.label, each.step, selection.checkpoints(model).index(each))!r},\n"
        for model, each in of
    )
    metrics = frames.metrics(selection, measures)
    names = {selection.metric(measure): measure for measure in frames.MEASURES}
    return (
        f"{HEAD}wanted = [  # run, source, target\n{wanted}]\n"
        "files = [shard.path for shard in have if shard.path.stem in {run for run, _, _ in wanted}]\n"
        f"metrics, variants = {metrics!r}, {list(variants or selection.variants)!r}\n"
        f"frame = alignment_queries.{call}(files, wanted, metrics, variants, runs={selection.runs})\n"
        f"frame = frame[frame['layer'].isin({list(selection.layers)!r})]\n"
        f"names = {names!r}\n"
        "frame = frame.assign(measure=frame['metric'].map(lambda name: names.get(name, name)))\n"
        f"known = pd.DataFrame(\n    [\n{known}    ],\n    columns=['checkpoint', 'model', 'label', 'step', 'position'],\n)\n"
        "frame = frame.merge(known, on='checkpoint').sort_values(['model', 'position'], kind='stable', ignore_index=True)\n"
        f"{then}print(frame)\n"
    )
