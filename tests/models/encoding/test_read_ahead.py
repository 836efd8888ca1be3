"""The next checkpoint's files come into the page cache, unless that would do harm, and nothing that goes wrong is heard of."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from isogloss.backend.models.encoding import read_ahead
from isogloss.backend.models.entry import Checkpoint
from isogloss.backend.models.files.weights import ModelFiles
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading import load as load_module
from isogloss.backend.settings import Settings
from tests.models.tiny import tiny_model

pytestmark = pytest.mark.skipif(not hasattr(os, "posix_fadvise"), reason="this system cannot be asked to read ahead")


def never() -> bool:
    return False


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(workspace=tmp_path / "workspace", device="cpu")


@pytest.fixture
def checkpoint(tmp_path: Path) -> Checkpoint:
    """A checkpoint whose weights are in several files (enough of them that the pieces of each are counted)."""
    from transformers import AutoModel

    folder = tiny_model(tmp_path / "model", "bert", dims=192, layers=4)
    model = AutoModel.from_pretrained(folder)
    (folder / "model.safetensors").unlink()
    model.save_pretrained(folder, max_shard_size="2MB")
    return discover(str(folder)).checkpoints[0]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, int]]:
    """What was asked for: the file's name, from where, how much."""
    seen: list[tuple[str, int, int]] = []

    def watched(file: int, place: int, size: int, advice: int) -> None:
        assert advice == os.POSIX_FADV_WILLNEED
        seen.append((Path(f"/proc/self/fd/{file}").readlink().name, place, size))

    monkeypatch.setattr(os, "posix_fadvise", watched)
    return seen


def test_every_byte_of_every_part_is_asked_for(
    checkpoint: Checkpoint, settings: Settings, asked: list[tuple[str, int, int]]
) -> None:
    read_ahead.read(checkpoint, settings, never)
    parts = list(Path(checkpoint.location).glob("model-*.safetensors"))
    assert len(parts) > 1
    for part in parts:
        ends = [0] + [place + size for name, place, size in asked if name == part.name]
        places = [place for name, place, _ in asked if name == part.name]
        assert places == ends[:-1]
        assert ends[-1] >= part.stat().st_size


def test_it_stops_when_told(checkpoint: Checkpoint, settings: Settings, asked: list[tuple[str, int, int]]) -> None:
    assert read_ahead.read(checkpoint, settings, lambda: len(asked) == 2) == len(asked) == 2


def test_what_would_push_out_too_much_is_left(
    checkpoint: Checkpoint, settings: Settings, asked: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_ahead, "LARGEST_SHARE", 1e-7)
    assert read_ahead.read(checkpoint, settings, never) == 0
    assert asked == []


def test_pickles_are_left_where_they_are_not_allowed(tmp_path: Path, settings: Settings, asked: list[Any]) -> None:
    (tmp_path / "model.pt").write_bytes(b"0" * 10)
    fairseq = Checkpoint(source="fairseq", location=str(tmp_path / "model.pt"), label="m", fingerprint="f" * 24)
    assert read_ahead.read(fairseq, settings, never) == 0
    assert read_ahead.read(fairseq, Settings(workspace=tmp_path, allow_pickle=True), never) == 1


def test_a_hub_checkpoint_is_fetched_first(
    checkpoint: Checkpoint, settings: Settings, asked: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    of_the_hub = Checkpoint(source="hub", location="owner/name", commit="0" * 40, label="main", fingerprint="f" * 24)
    fetched: list[Checkpoint] = []

    def files(wanted: Checkpoint, _: Settings) -> ModelFiles:
        fetched.append(wanted)
        return ModelFiles(Path(checkpoint.location), "main", False)

    monkeypatch.setattr(read_ahead, "hub_files", files)
    assert read_ahead.read(of_the_hub, settings, never) > 0
    assert fetched == [of_the_hub]


def test_what_is_wrong_is_left_for_the_loading_to_say(tmp_path: Path, settings: Settings, capfd: Any) -> None:
    for location in (tmp_path / "nowhere", tmp_path):
        missing = Checkpoint(source="folder", location=str(location), label="gone", fingerprint="f" * 24)
        thread = read_ahead.start(missing, settings, never)
        assert thread.daemon
        thread.join(600)
        assert not thread.is_alive()
    assert "Traceback" not in capfd.readouterr().err
    assert load_module.hub_files is read_ahead.hub_files


def test_the_file_is_in_memory_afterwards(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(os, "RWF_NOWAIT"):
        pytest.skip("this system does not tell what it holds in memory")
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(os.urandom(1 << 20) * 8)
    file = os.open(folder / "model.safetensors", os.O_RDONLY)
    try:
        os.fsync(file)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        if _held(file):
            pytest.skip("this file system keeps everything in memory")
        checkpoint = Checkpoint(source="folder", location=str(folder), label="m", fingerprint="f" * 24)
        read_ahead.start(checkpoint, settings, never).join(600)
        until = time.monotonic() + 600
        while not _held(file) and time.monotonic() < until:
            time.sleep(0.05)
        assert _held(file)
    finally:
        os.close(file)


def _held(file: int) -> bool:
    """Whether the last megabyte can be read without waiting for the disk."""
    place = os.fstat(file).st_size - (1 << 20)
    try:
        return os.preadv(file, [bytearray(1 << 20)], place, os.RWF_NOWAIT) == 1 << 20
    except (BlockingIOError, OSError):
        return False
