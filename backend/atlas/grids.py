"""The scores of a workspace as grids to walk through: checkpoints × layers × pairs of languages (or languages) of one model.

Of any family: which measures there are, and of what, is read from its scores and from what it declares of its measures.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.tagged import library as tagged
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.experiments.registry import FAMILIES, MEASURES
from isogloss.backend.experiments.relations.catalogue import Available, catalogue
from isogloss.backend.experiments.relations.cubes import files_of
from isogloss.backend.experiments.relations.dictionaries import variant_as_told
from isogloss.backend.experiments.relations.numbers import numbers_of
from isogloss.backend.models.library import library as models
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from isogloss.backend.corpora.shared.kept import Entry
    from isogloss.backend.experiments.family import Family
    from isogloss.backend.experiments.relations.cubes import Files
    from isogloss.backend.experiments.relations.numbers import Numbers
    from isogloss.backend.models.entry import Checkpoint, Model
    from isogloss.backend.store.scores import ShardFile

KINDS = (corpora.KIND, tagged.KIND, tasks.KIND)
"""What scores are of."""
FIELDS = ("value", "low", "high", "n")
SPLIT = 60_000
"""Scores of a checkpoint beyond which each of its layers is a file of its own."""
Pair = tuple[str, str]
Of = Literal["pairs", "directed", "languages"]
"""What a score is of: a pair, a pair in one direction, a language alone."""


@dataclass(frozen=True, eq=False)
class PairGrid:
    """Scores of one model on one corpus, computed in one way: the measures that are of the same."""

    family: Family
    model: Model
    corpus: Entry
    measures: tuple[Available, ...]
    """In the order in which their family names them."""
    of: Of
    checkpoints: tuple[Checkpoint, ...]
    """Those that have scores, in the model's order."""
    served: tuple[tuple[ShardFile, ...], ...]
    """The files that have scores of each checkpoint."""
    modified: Files
    """Every file, with when it was published."""

    @property
    def protocol(self) -> str:
        """The variant, and what else the numbers hang on."""
        return self.measures[0].variant or ""

    @property
    def is_split(self) -> bool:
        """Whether every layer of a checkpoint is a file of its own: a matrix is read without its neighbours."""
        return self.of != "languages" and len(self.metrics) * len(self.layers) * len(self.pairs) > SPLIT

    @property
    def files(self) -> list[ShardFile]:
        """The files that have its scores, in the order of its checkpoints."""
        return list({file.path: file for files in self.served for file in files}.values())

    @property
    def metrics(self) -> list[str]:
        """The measures, by what the scores call them."""
        return [each.metric for each in self.measures]

    @cached_property
    def _held(self) -> tuple[list[int], list[Pair]]:
        """What the files hold: layers and pairs."""
        layers: set[int] = set()
        pairs: set[Pair] = set()
        for each in (each for key in range(len(self.checkpoints)) for each in self._read(key)):
            there = np.isfinite(each.fields["value"]).any(axis=0)
            there = np.triu(there) if self.of == "pairs" else there
            layers |= set(each.layers)
            pairs |= {(each.names[one], each.names[other]) for one, other in np.argwhere(there).tolist()}
        return sorted(layers), sorted(pairs)

    @property
    def layers(self) -> list[int]:
        """Every layer that some checkpoint has; −1 alone where scores have none."""
        return self._held[0]

    @property
    def pairs(self) -> list[Pair]:
        """Every pair that some checkpoint has; of a language alone the pair with itself."""
        return self._held[1]

    @cached_property
    def languages(self) -> list[str]:
        """The tags of the languages that are in some pair."""
        return sorted({tag for pair in self.pairs for tag in pair})

    @cached_property
    def ends(self) -> NDArray[np.intp]:
        """The places of both languages of each pair [pairs, 2]."""
        place = {tag: at for at, tag in enumerate(self.languages)}
        return np.array([[place[tag] for tag in pair] for pair in self.pairs], np.intp).reshape(-1, 2)

    def values(self, checkpoint: int) -> dict[str, NDArray[np.float64]]:
        """Return `FIELDS` of a checkpoint, by its place: each [metrics, layers, pairs], nan where there is no score."""
        shape = len(self.metrics), len(self.layers), len(self.pairs)
        found = {name: np.full(shape, np.nan) for name in FIELDS}
        for metric, each in enumerate(self._read(checkpoint)):
            place = {tag: at for at, tag in enumerate(each.names)}
            own = np.array([at for at, pair in enumerate(self.pairs) if all(tag in place for tag in pair)], np.intp)
            row, column = (np.array([place[self.pairs[at][end]] for at in own.tolist()], np.intp) for end in (0, 1))
            layers = np.searchsorted(self.layers, each.layers)
            for name in FIELDS:
                found[name][metric][layers[:, None], own] = each.fields[name][:, row, column]
        return found

    def _read(self, checkpoint: int) -> list[Numbers]:
        """Return the numbers of each measure of a checkpoint."""
        key = self.checkpoints[checkpoint]
        known = {file.path for file in self.served[checkpoint]}
        files = tuple(each for each in self.modified if each[0] in known)
        one = {"checkpoints": (key.fingerprint,), "steps": (key.step,)}
        own = [(each, each.of(self.model.name)) for each in self.measures]
        return [numbers_of(each.scored(of).model_copy(update=one), files) for each, of in own if of is not None]


def pair_grids(workspaces: Sequence[Path], wanted: Iterable[str] | None = None) -> list[PairGrid]:
    """Return every grid of the models called `wanted` (None: of all): by family as in the menu, model, corpus and protocol.

    Scores of checkpoints that no model has are left out, and of data that is forgotten or has no library of its own.
    """
    names = None if wanted is None else set(wanted)
    entries = {entry.id: entry for kind in KINDS for entry in kind.entries(workspaces)}
    listed = models.entries(workspaces)
    known = [
        (each.fingerprint, own.name, each.label, each.step, at) for own in listed for at, each in enumerate(own.checkpoints)
    ]
    modified = files_of(workspaces)
    measures = [each for each in catalogue(modified, known) if each.corpus in entries and not each.later]
    files = _by_checkpoint(scores.known(path for path, _ in modified))
    found = []
    for family in FAMILIES:
        own = sorted((each for each in measures if each.metric in family.measures), key=_key)
        for model in listed:
            if names is not None and model.name not in names:
                continue
            of_model = [each for each in own if each.of(model.name)]
            groups = [tuple(together) for _, together in groupby(of_model, _key)]
            for group in sorted(groups, key=lambda each: -sum(one.scores for one in each)):  # as Relations has the usual first
                grid = _grid(family, model, entries[str(group[0].corpus)], group, files, modified)
                found += [grid] if grid else []
    return found


def _grid(
    family: Family,
    model: Model,
    corpus: Entry,
    measures: tuple[Available, ...],
    files: dict[str, list[ShardFile]],
    modified: Files,
) -> PairGrid | None:
    order = list(family.measures)
    scored = {key for each in measures if (of := each.of(model.name)) for key in of.checkpoints}
    own = tuple(each for each in model.checkpoints if each.fingerprint in scored)
    wanted = {(each.experiment, each.metric, each.corpus, each.variant) for each in measures}
    served = tuple(tuple(file for file in files.get(each.fingerprint, ()) if _has(file, wanted)) for each in own)
    ordered = tuple(sorted(measures, key=lambda each: order.index(each.metric)))
    return PairGrid(family, model, corpus, ordered, _of(measures[0]), own, served, modified) if own else None


def _key(each: Available) -> tuple[Any, ...]:
    """Return what measures of one grid have in common."""
    return each.corpus, each.variant or "", each.dictionaries or (), _of(each), not each.layers


def _of(each: Available) -> Of:
    if not each.others:
        return "languages"
    return "directed" if each.directed or MEASURES[each.metric].directed else "pairs"


def _by_checkpoint(files: Iterable[ShardFile]) -> dict[str, list[ShardFile]]:
    """Return the files that have scores of each checkpoint, by what their footers list; older ones say one."""
    found: dict[str, list[ShardFile]] = {}
    for file in files:
        listed = {each["checkpoint"] for each in file.provenance.get(scores.FOOTER, ())} or {file.provenance.get("fingerprint")}
        for key in listed:
            found.setdefault(str(key), []).append(file)
    return found


def _has(file: ShardFile, wanted: set[tuple[str, str, str | None, str | None]]) -> bool:
    """Return whether a file has scores of some measures, each by its experiment, metric, corpus and variant."""
    listed = file.provenance.get(scores.FOOTER)
    if not listed:  # of before footers said it
        return (file.path.parent.name, file.provenance.get("corpus")) in {(each[0], each[2]) for each in wanted}
    return any(
        (each["experiment"], each["metric"], each["corpus"], variant_as_told(each["variant"], file, each["metric"])) in wanted
        for each in listed
    )
