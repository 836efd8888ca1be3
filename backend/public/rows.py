"""Rows of the table of scores with the names that people know: of one run exactly, or of all that a filter takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.tagged import library as tagged
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.experiments import checkpoint_scores
from isogloss.backend.experiments.abx.shard import AbxSpec, covering
from isogloss.backend.experiments.probing import queries as probing
from isogloss.backend.experiments.probing.spec import ProbingSentencesSpec, ProbingWordsSpec
from isogloss.backend.experiments.spec import PerCheckpoint
from isogloss.backend.models.library import library as models
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from isogloss.backend.experiments.spec import Spec
    from isogloss.backend.store.scores import ShardFile

SELECT = """
SELECT metric, coalesce(names.model, rows.model) AS model, coalesce(names.label, rows.checkpoint) AS checkpoint, rows.step,
  layer, source, target, coalesce(corpora.name, rows.corpus) AS corpus, variant, dictionary, seed, value, low, high, n,
  experiment, rows.checkpoint AS fingerprint, rows.corpus AS corpus_id, run, created_at
FROM {{places}} AS rows
LEFT JOIN (SELECT unnest($fingerprints) AS fingerprint, unnest($models) AS model, unnest($labels) AS label) AS names
  ON names.fingerprint = rows.checkpoint
LEFT JOIN (SELECT unnest($ids) AS id, unnest($names) AS name) AS corpora ON corpora.id = rows.corpus
WHERE {where}
"""
NEWEST = """
QUALIFY row_number() OVER (PARTITION BY experiment, metric, fingerprint, layer, source, target, corpus_id, variant, dictionary,
  seed ORDER BY created_at DESC) = 1
"""
"""Of files that may have the same score twice, each once."""

WHOLE = {pa.int16(): pd.Int16Dtype(), pa.int64(): pd.Int64Dtype()}
"""Whole numbers stay such beside those that are missing."""


@dataclass
class Names:
    """What models, checkpoints and corpora of some workspaces are called now."""

    checkpoints: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Fingerprint → model and label; of checkpoints that several models have, those of the model asked for, then one's own."""
    corpora: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def of(workspaces: Sequence[Path], first: Iterable[str] = ()) -> Names:
        """Read them; the models named in `first` go before the others."""
        wanted, names = set(first), Names()
        every = [entry for workspace in reversed(workspaces) for entry in models.entries([workspace])]
        for entry in sorted(every, key=lambda entry: entry.name in wanted):
            names.checkpoints |= {each.fingerprint: (entry.name, each.label) for each in entry.checkpoints}
        for shelf in (corpora, tagged, tasks):
            names.corpora |= {entry.id: entry.name for entry in shelf.entries(workspaces)}
        return names

    def parameters(self) -> dict[str, list[str]]:
        """Return them as the parameters of `SELECT`."""
        models_and_labels = list(self.checkpoints.values())
        return {
            "fingerprints": list(self.checkpoints),
            "models": [model for model, _ in models_and_labels],
            "labels": [label for _, label in models_and_labels],
            "ids": list(self.corpora),
            "names": list(self.corpora.values()),
        }


def found(
    files: Sequence[ShardFile], names: Names, where: Sequence[str] = (), parameters: dict[str, Any] | None = None
) -> pd.DataFrame:
    """Return the rows of some files that meet all conditions, each score once; the newest where files have it twice."""
    alone, others = _apart(files)
    sql = SELECT.format(where=" AND ".join(where) or "true")
    given = names.parameters() | (parameters or {})
    tables = [
        scores.query_table(sql + more, given, [file.path for file in some])
        for some, more in ((alone, ""), (others, NEWEST))
        if some
    ] or [scores.query_table(sql, given, [])]
    frame: pd.DataFrame = pa.concat_tables(tables).to_pandas(types_mapper=WHOLE.get)
    return frame


def _apart(files: Sequence[ShardFile]) -> tuple[list[ShardFile], list[ShardFile]]:
    """Return the files that no other may share a score with, and the others: weights, data and folder tell them apart."""
    of_place: dict[tuple[str, ...], list[ShardFile]] = {}
    for file in files:
        place = (file.path.parent.name, *(str(file.provenance.get(name)) for name in ("fingerprint", "corpus", "variant")))
        of_place.setdefault(place if "fingerprint" in file.provenance else ("",), []).append(file)
    alone = [one for (first, *_), own in of_place.items() if len(own) == 1 and first for one in own]
    own = {one.path for one in alone}
    return alone, [each for each in files if each.path not in own]


def of_run(spec: Spec, workspaces: Sequence[Path]) -> pd.DataFrame:
    """Return the scores of exactly what a spec asks for, whichever run computed them."""
    files, keys = _places_of(spec, workspaces)
    names = Names.of(workspaces, [str(getattr(spec, "model", ""))])
    if keys is None:
        return found(files, names)
    condition = "list_contains($keys, run || ' ' || source || ' ' || target)"
    where = [condition] if isinstance(spec, AbxSpec) and spec.baseline else [condition, "NOT ends_with(metric, '_baseline')"]
    return found(files, names, where, {"keys": sorted(keys)})


def _places_of(spec: Spec, workspaces: Sequence[Path]) -> tuple[list[ShardFile], set[str] | None]:
    """Return the files that serve a spec, and `run source target` of its rows in them; None where all rows of them are its."""
    if isinstance(spec, ProbingWordsSpec | ProbingSentencesSpec):
        served = probing.served(spec, workspaces)
        sources = {file.run: file.provenance["source"] for file in scores.known(served.files)}
        return scores.known(served.files), {
            f"{run} {sources[run]} {target}" for run, targets in served.wanted for target in targets
        }
    serving: dict[str, ShardFile] = {}
    keys: set[str] = set()
    for pairs, file_of in _pieces(spec, workspaces):
        for pair in pairs:
            if (file := file_of(tuple(pair))) is not None:
                serving[file.run] = file
                keys |= {f"{file.run} {one} {other}" for one, other in (pair[:2], pair[1::-1])}
    if serving:
        return list(serving.values()), keys
    own = [file for file in scores.shards(workspaces) if file.run in set(spec.shards())]
    return own, None


def _pieces(spec: Spec, workspaces: Sequence[Path]) -> Iterable[tuple[Iterable[Sequence[str]], Any]]:
    """Yield for each piece of a spec its pairs of languages, and what finds the file of a pair."""
    if isinstance(spec, AbxSpec):
        have = scores.shards(workspaces, "abx")
        for checkpoint in spec.checkpoints:
            file = covering(
                spec, checkpoint, [each for each in have if each.provenance["fingerprint"] == checkpoint.fingerprint]
            )
            yield spec.scored, lambda _, file=file: file
        return
    of_piece = getattr(spec, "provenance", None)
    for piece in spec.shards().values() if of_piece else ():
        provenance = of_piece(piece) if isinstance(spec, PerCheckpoint) else of_piece()  # type: ignore[misc]
        if "pairs" in provenance:
            have = scores.shards(workspaces, provenance["experiment"])
            yield provenance["pairs"], checkpoint_scores.serving(provenance, provenance["pairs"], have).get
