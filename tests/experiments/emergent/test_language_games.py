"""Games that are over, found again by their corpora, and what a game will cost."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.experiments.emergent import statistics as emergent_statistics
from isogloss.backend.experiments.emergent.game import finished_games as language_games
from isogloss.backend.experiments.emergent.game import shard as language_game
from isogloss.backend.experiments.emergent.game.shard import LanguageGameSpec
from isogloss.backend.experiments.spec import Context
from isogloss.backend.settings import settings
from isogloss.backend.store import details
from isogloss.backend.training.signalling_game.options import GameOptions

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS = GameOptions(attributes=3, values=4, held_out=0.25, hidden=16, embedding=8, length=4, batch=16, epochs=2, seed=1)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path / "own"))
    monkeypatch.setenv("ISOGLOSS_DEMO", "")
    return tmp_path / "own"


def test_a_game_is_found_by_its_corpus_with_its_curve(workspace: Path) -> None:
    assert language_games.finished_games([workspace]) == []
    for name, options in (("First", OPTIONS), ("Second", OPTIONS.model_copy(update={"seed": 2}))):
        spec = LanguageGameSpec(name=name, options=options)
        language_game.compute(spec, spec.key, Context(replace(settings(), device="cpu")))
    emergent_statistics.statistics(emergent_library.entries([workspace])[0].id, [workspace])  # details, but no game
    (workspace / "details" / "0.parquet").write_bytes(b"no Parquet at all")
    found = {each.corpus: each for each in language_games.finished_games([workspace])}
    entries = {entry.name: entry for entry in emergent_library.entries([workspace])}
    assert set(found) == {entry.id for entry in entries.values()}
    second = found[entries["Second"].id]
    assert (second.options.seed, second.steps, second.chance) == (2, 6, 0.25)
    assert second.seconds is not None
    keys = {name: found[entry.id].key for name, entry in entries.items()}
    curves = language_games.curves(keys | {"Gone": "1" * 24}, [workspace])
    assert curves["corpus"].tolist() == ["First"] * 3 + ["Second"] * 3
    own = details.load(LanguageGameSpec(name="x", options=OPTIONS).key, [workspace])
    assert own is not None
    assert curves["success"].tolist()[:3] == own["success"].tolist()


def test_the_first_workspace_and_the_oldest_file_come_first(workspace: Path, tmp_path: Path) -> None:
    import os

    import pyarrow as pa

    table = pa.table({"x": [1]})
    for folder, name, provenance, age in ((workspace, "a", 1, 50), (workspace, "b", 2, 90), (tmp_path / "demo", "a", 3, 99)):
        path = details.write(folder, name, table, {"n": provenance})
        os.utime(path, (1e9 - age, 1e9 - age))
    found = details.every([workspace, tmp_path / "demo"])
    assert list(found.items()) == [("b", {"n": 2}), ("a", {"n": 1})]
    shutil.rmtree(workspace / "details")
    assert details.every([workspace, tmp_path / "demo"]) == {"a": {"n": 3}}


def test_no_curves_are_an_empty_frame(workspace: Path) -> None:
    frame = language_games.curves({}, [workspace])
    assert frame.empty
    assert "success" in frame
