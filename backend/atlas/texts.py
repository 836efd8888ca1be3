"""Sentences that come along by consent: of data whose licence is known and allows it, where who publishes says so."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments.words import listed
from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from isogloss.backend.atlas.grids import PairGrid
    from isogloss.backend.boards.report import Entry
    from isogloss.backend.corpora.shared.kept import Entry as Kept

    Data = Mapping[str, Any]
    """What is said of a corpus, task …: `name`, and `licence` and `source` where they are known (`Provenance.corpora`)."""

ALLOWING = re.compile(
    r"cc0(-1\.0)?|cc-by(-nc)?(-sa)?(-[1-4]\.[0-9])?(-[a-z]{2,3})?|public-domain|pddl(-1\.0)?|odc-by(-1\.0)?|odbl(-1\.0)?"
    r"|mit|apache-2\.0|gfdl(-1\.[1-3])?"
)
"""Licences by which texts may be given on. Of those that forbid changed works (ND) none: single sentences are one."""
SAID = {"cc-0": "cc0", "apache": "apache-2.0", "gnu-fdl": "gfdl"}
"""Other ways in which people write some of them."""
COLUMNS = [
    *("task", "source", "target", "anchor_id", "other_id", "anchor", "right", "wrong"),
    *("similarity_right", "similarity_wrong", "margin"),
]
"""Of what is confused: what the dashboard lists of it."""


class View(NamedTuple):
    """What confused sentences are of, by places in a grid."""

    checkpoint: int
    layer: int
    source: int
    target: int


def allows(licence: str | None) -> bool:
    """Return whether a licence, as people wrote it, is known to let texts be given on; of several joined, whether all do."""
    parts = [
        re.sub(r"[\s_-]+", "-", part.strip().casefold()) for part in re.split(r"\band\b|,|;|\+", licence or "") if part.strip()
    ]
    return bool(parts) and all(ALLOWING.fullmatch(SAID.get(part, part)) for part in parts)


def allowed(rests_on: Iterable[Data]) -> bool:
    """Return whether the texts of all data that something rests on may be given on."""
    data = list(rests_on)
    return bool(data) and all(allows(each.get("licence")) for each in data)


def said_of(entries: Iterable[Kept]) -> list[Data]:
    """Return what is said of data whose texts are here, in the order given."""
    return [each.model_dump(include={"id", "name", "licence", "source"}) for each in entries if not each.names_only]


def library(workspaces: Sequence[Path]) -> list[Data]:
    """Return what is said of every parallel corpus whose sentences are here."""
    return said_of(corpora.KIND.entries(workspaces))


def credits_of(data: Iterable[Data]) -> list[str]:
    """Return whose texts may come along: each once, with its licence, and where it is from."""
    of = [each for each in data if allows(each.get("licence"))]
    said = [(each["name"], each["licence"], each.get("source")) for each in of]
    return list(dict.fromkeys(f"{name} ({licence}{f'; {source}' if source else ''})" for name, licence, source in said))


def credit(grid: PairGrid) -> str:
    """Return whose the sentences of a grid are, with the licence."""
    return "".join(credits_of(said_of([grid.corpus])))


def credited(part: Entry) -> Entry:
    """Return a part of a board that shows texts as it is published: credited, without people's notes on sentences."""
    noted = [name for name in part.rows if str(name).endswith(("tags", "notes"))]
    said = f"Sentences: {listed(credits_of(part.rests_on.corpora))}."
    return replace(part, rows=part.rows.drop(columns=noted), said=f"{part.said} {said}".strip())


def refusal(data: Iterable[Data]) -> str:
    """Return, in a sentence, whose texts stay here and why; nothing where all may come along."""
    kept = {each["name"]: each.get("licence") for each in data if not allows(each.get("licence"))}
    why = [f"'{name}' ({f'{licence} is not known to allow it' if licence else 'no licence'})" for name, licence in kept.items()]
    return f"Sentences stay here of {listed(why)}." if why else ""


def of_grid(grid: PairGrid, kept: Mapping[str, Data], workspaces: Sequence[Path]) -> dict[View, pd.DataFrame]:
    """Return the confused sentences that were computed of a grid, most of each view, a row a triplet with `COLUMNS`.

    `kept` is what each file says that it is of (`details.every`): those that an earlier version wrote say nothing.
    """
    if not allows(grid.corpus.licence):
        return {}
    checkpoints = {each.fingerprint: place for place, each in enumerate(grid.checkpoints)}
    most: dict[View, tuple[int, str]] = {}
    for key, said in kept.items():
        of = said.get("texts_of")
        if not isinstance(of, dict) or (of["family"], of["corpus"], of["variant"]) != (
            grid.family.name,
            grid.corpus.id,
            grid.protocol,
        ):
            continue
        ends = sorted((of["source"], of["target"]))
        if of["checkpoint"] in checkpoints and of["layer"] in grid.layers and set(ends) <= set(grid.languages):
            places = [grid.languages.index(tag) for tag in ends]
            view = View(checkpoints[of["checkpoint"]], grid.layers.index(of["layer"]), *places)
            most[view] = max(most.get(view, (0, "")), (of["kept"], key))
    read = ((view, details.load(key, workspaces)) for view, (_, key) in sorted(most.items()))
    return {view: rows[COLUMNS] for view, rows in read if rows is not None and len(rows)}


def table(grid: PairGrid, found: Mapping[View, pd.DataFrame]) -> pd.DataFrame:
    """Return all rows to download, each with its checkpoint, layer, corpus and the corpus' licence."""
    parts = [
        rows.assign(checkpoint=grid.checkpoints[view.checkpoint].label, layer=grid.layers[view.layer])
        for view, rows in found.items()
    ]
    return pd.concat(parts, ignore_index=True).assign(corpus=grid.corpus.name, licence=grid.corpus.licence)
