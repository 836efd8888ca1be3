"""The scores of several specs, such as those of two models, as one."""

from __future__ import annotations

from isogloss.backend.experiments.probing.queries import Served
from isogloss.backend.recipe_mark import in_recipes


@in_recipes
def together(*found: Served) -> Served:
    """Return what is computed of several specs, each file and pair of languages once."""
    files = dict.fromkeys(path for each in found for path in each.files)
    wanted: dict[str, frozenset[str]] = {}
    for run, targets in (key for each in found for key in each.wanted):
        wanted[run] = wanted.get(run, frozenset()) | targets
    return Served(tuple(files), tuple(wanted.items()), tuple(shard for each in found for shard in each.missing))
