"""How kept corpora mirror their meanings: computed once, kept by what they are, and seen where statistics are."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent.layouts import Options
from isogloss.backend.corpora.emergent.readers import InputFile, read
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.emergent import frames, meanings
from isogloss.backend.experiments.emergent.statistics import statistics
from isogloss.backend.experiments.xferbench.correlations import STATISTICS

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.corpora.emergent.library import EmergentEntry

OBJECTS = list(product(range(4), "rgb", range(3)))


def keep(workspace: Path, name: str, *, meaning: tuple[str, ...] = ("size", "colour", "kind"), shift: int = 0) -> EmergentEntry:
    path = workspace / f"{name}.csv"
    rows = (f"{size + shift} {ord(colour)} {200 + kind},{size},{colour},{kind}" for size, colour, kind in OBJECTS)
    path.write_text("message,size,colour,kind\n" + "".join(f"{row}\n" for row in rows))
    return emergent_library.keep(read([InputFile(path.name, path)], Options(meaning=meaning)), name, workspace)


def test_they_are_computed_once_and_only_of_corpora_with_meanings(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told, bare = keep(workspace, "Told"), keep(workspace, "Bare", meaning=(), shift=5)
    corpora = {"Told": told.id, "Bare": bare.id, "Gone": "0" * 24}
    first = meanings.measures_of(corpora, [workspace])
    assert first.columns.tolist() == meanings.COLUMNS
    assert first[["corpus", "measure"]].to_numpy().tolist() == [["Told", each] for each in meanings.MEASURES]
    assert first["value"].tolist() == pytest.approx([1, 1, 1])
    assert set(first["n"]) == {36}
    meanings.measure(told, [workspace])
    monkeypatch.setattr(meanings, "compute", None)  # a call would fail
    assert meanings.measures_of(corpora, [workspace / "own", workspace]).equals(first)


def test_distances_have_measures_of_their_own_and_those_of_numbers_need_numbers(workspace: Path) -> None:
    words, numbers = keep(workspace, "Words"), keep(workspace, "Numbers", meaning=("size", "kind"), shift=5)
    corpora = {"Words": words.id, "Numbers": numbers.id}
    keys = {meanings.key_of(e, d, normalised=n) for e in (words, numbers) for d in meanings.DISTANCES for n in (True, False)}
    assert len(keys) == 12
    found = meanings.measures_of(corpora, [workspace], "euclidean", normalised=True).set_index(["corpus", "measure"])["value"]
    assert np.isnan(found["Words", "topographic_similarity"])
    assert found["Words", "posdis"] == pytest.approx(1)
    assert 0 < found["Numbers", "topographic_similarity"] < 1
    for entry in (words, numbers):
        meanings.measure(entry, [workspace], "euclidean", normalised=True)
    again = meanings.measures_of(corpora, [workspace], "euclidean", normalised=True).set_index(["corpus", "measure"])["value"]
    assert again.equals(found)


def test_meanings_that_come_later_are_seen(workspace: Path) -> None:
    bare = keep(workspace, "Mine", meaning=())
    before = meanings.measures_of({"Mine": bare.id}, [workspace])
    assert before.empty
    told = keep(workspace, "Mine", meaning=("size", "kind"))
    assert told.id == bare.id
    assert len(meanings.measures_of({"Mine": bare.id}, [workspace])) == len(meanings.MEASURES)
    with pytest.raises(CorpusError, match="other meanings"):
        keep(workspace, "Mine", meaning=("size",))


def test_the_overview_has_them_beside_what_needs_no_meaning(workspace: Path) -> None:
    entries = {"Told": keep(workspace, "Told"), "Bare": keep(workspace, "Bare", meaning=(), shift=5)}
    found = {name: statistics(entry.id, [workspace]) for name, entry in entries.items()}
    measures = meanings.measures_of({name: entry.id for name, entry in entries.items()}, [workspace])
    table = frames.overview(found, measures).set_index("corpus")
    assert table.loc["Told", list(meanings.MEASURES)].tolist() == pytest.approx([1, 1, 1])
    assert table.loc["Bare", list(meanings.MEASURES)].isna().all()
    assert not set(meanings.MEASURES) & set(frames.overview(found))
    assert set(STATISTICS) <= set(table) | {"corpus"}
