"""Games that are over, found again by their corpora, and what a game will cost."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from backend.corpora.emergent import library as emergent_library
from backend.experiments.emergent import statistics as emergent_statistics
from backend.experiments.emergent.game import finished_games as language_games
from backend.experiments.emergent.game import price
from backend.experiments.emergent.game import shard as language_game
from backend.experiments.emergent.game.finished_games import Played
from backend.experiments.emergent.game.price import game, seconds_of
from backend.experiments.emergent.game.shard import LanguageGameSpec
from backend.experiments.spec import Context
from backend.settings import settings
from backend.store import details
from backend.training.signalling_game.options import GameOptions
from backend.training.signalling_game.presets import preset
from tests.experiments.devices import cpu, gpu

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS = GameOptions(attributes=3, values=4, held_out=0.25, hidden=16, embedding=8, length=4, batch=16, epochs=2, seed=1)
SPEED = cpu(4e11, threads=4)


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
    own = language_game.load(LanguageGameSpec(name="x", options=OPTIONS), [workspace])
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


def test_a_price_grows_with_what_is_played() -> None:
    first = game(OPTIONS, SPEED, [])
    assert first is not None
    assert "measurement on CPU, 4 threads" in first.basis
    for change in ({"epochs": 20}, {"hidden": 1024}, {"length": 60}, {"vocabulary": 30_000}):
        dearer = game(OPTIONS.model_copy(update=change), SPEED, [])
        assert dearer is not None
        assert dearer.seconds > first.seconds, change
    spec = LanguageGameSpec(name="a", options=OPTIONS)
    assert price.language_game(spec, SPEED, []) == first
    assert price.language_game(spec, None, []) is None


def test_a_game_uses_one_thread_of_a_cpu_and_all_of_a_gpu() -> None:
    large = preset("quick-disc-large")
    speeds = (cpu(4e11, threads=1), cpu(4e11, threads=4), gpu(4e11))
    one, four, on_gpu = (game(large, speed, []) for speed in speeds)
    assert one is not None
    assert four is not None
    assert on_gpu is not None
    assert on_gpu.seconds == one.seconds
    assert 2 < four.seconds / one.seconds <= 4


def test_measured_games_are_priced_about_right() -> None:
    """Seconds an update of five presets on one core at 116 GFLOP/s, measured on a busy machine."""
    measured = {
        "quick": 0.066,
        "quick-disc-small": 0.0143,
        "quick-disc-large": 0.901,
        "elcc-recon": 0.124,
        "egg": 0.0146,
        "quick-reconstruction": 0.0067,
    }
    for name, seconds in measured.items():
        options = preset(name).model_copy(update={"record_every": 10**6, "utterances": 1})  # type: ignore[arg-type]
        assert seconds_of(options, 1000, 1.16e11) / 1000 == pytest.approx(seconds, rel=0.5), name


def test_earlier_games_say_how_fast_this_machine_is() -> None:
    plain = seconds_of(OPTIONS, OPTIONS.steps, 1e11)
    other = OPTIONS.model_copy(update={"epochs": 20})
    earlier = [
        Played("a", "b", other, other.steps, 0.25, 3 * seconds_of(other, other.steps, 1e11)),
        Played("a", "b", other, other.steps, 0.25, None),
    ]
    found = game(OPTIONS, SPEED, earlier)
    assert found is not None
    assert found.seconds == pytest.approx(3.0 + 3 * plain)
    assert "last games" in found.basis
