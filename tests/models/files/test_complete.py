"""Whether a checkpoint that is being written counts as complete: at every cut of its files, in whatever order they come."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save_file

from isogloss.backend.models.files import complete
from isogloss.backend.models.files.complete import MARKER, look

CONFIG = {"model_type": "bert", "num_hidden_layers": 1, "hidden_size": 4, "num_attention_heads": 1}
INDEX = "model.safetensors.index.json"


def tensors(seed: int = 0, names: str = "abcd") -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    return {f"layer.0.{name}": random.standard_normal((4, 4)).astype(np.float32) for name in names}


def checkpoint(folder: Path, *, parts: int = 1, seed: int = 0, marked: bool = True) -> Path:
    """A checkpoint of a few hundred bytes, written in the Trainer's order."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "vocab.txt").write_text("[PAD]\n[UNK]\na\n")
    if parts == 1:
        save_file(tensors(seed), folder / "model.safetensors")
    else:
        of: dict[str, str] = {}
        for part in range(parts):
            name = f"model-{part + 1:05d}-of-{parts:05d}.safetensors"
            held = tensors(seed, f"{part}xyz")
            held = {f"part{part}.{key}": value for key, value in held.items()}
            save_file(held, folder / name)
            of |= dict.fromkeys(held, name)
        (folder / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": of}))
    if marked:
        (folder / MARKER).write_text(json.dumps({"global_step": 500, "log_history": []}))
    return folder


@pytest.fixture(scope="module", params=[1, 3])
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return checkpoint(tmp_path_factory.mktemp("whole") / "checkpoint-500", parts=request.param)


def test_the_trainer_says_that_it_is_complete_by_its_last_file(whole: Path) -> None:
    verdict = look(whole, unchanged=1.0)
    assert verdict.complete
    assert MARKER in verdict.why


def test_nothing_that_was_changed_just_now_is_complete(whole: Path) -> None:
    assert not look(whole, unchanged=0.9).complete


def test_without_that_file_it_is_complete_once_it_is_quiet_or_announced(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "checkpoint-500", marked=False)
    assert not look(folder, unchanged=29.9).complete
    assert "30 s" in look(folder, unchanged=29.9).why
    assert look(folder, unchanged=30.0).complete
    assert look(folder, unchanged=1.0, announced=True).complete
    assert look(folder, unchanged=5.0, quiet=5.0).complete


@given(data=st.data())
def test_a_file_cut_at_any_byte_is_not_complete(
    whole: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Of headers, data, index and configuration: however quiet it is, and although the Trainer's last file is there."""
    folder = tmp_path_factory.mktemp("cut") / "checkpoint-500"
    shutil.copytree(whole, folder)
    files = sorted(path.name for path in folder.iterdir() if path.name not in (MARKER, "vocab.txt"))
    path = folder / data.draw(st.sampled_from(files))
    size = path.stat().st_size
    header = 8 + int.from_bytes(path.read_bytes()[:8], "little") if path.suffix == ".safetensors" else size
    edges = [0, 1, 7, 8, 9, header - 1, header, header + 1, size - 1]
    kept = data.draw(st.one_of(st.sampled_from([each for each in edges if each < size]), st.integers(0, size - 1)))
    os.truncate(path, kept)
    os.utime(folder / MARKER)
    verdict = look(folder, unchanged=3600.0)
    assert not verdict.complete, (path.name, kept)
    assert verdict.why


@given(data=st.data())
def test_a_part_that_is_lacking_or_of_other_weights_is_not_complete(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = checkpoint(tmp_path_factory.mktemp("parts") / "checkpoint-500", parts=3)
    part = folder / f"model-0000{data.draw(st.integers(1, 3))}-of-00003.safetensors"
    match data.draw(st.sampled_from(["lacking", "other names", "more", "empty"])):
        case "lacking":
            part.unlink()
        case "other names":
            save_file(tensors(1, "qrst"), part)
        case "more":
            save_file(tensors(2, "0xyz") | {"one.more": np.zeros((4, 4), np.float32)}, part)
        case "empty":
            part.write_bytes(b"")
    os.utime(folder / MARKER)
    assert not look(folder, unchanged=3600.0).complete


def test_a_marker_left_by_a_training_before_says_nothing(tmp_path: Path) -> None:
    """A training that began anew writes its weights first: two of three parts may be new, and all headers agree."""
    folder = checkpoint(tmp_path / "checkpoint-500", parts=3)
    checkpoint(folder, parts=3, seed=1, marked=False)
    written = (folder / INDEX).stat()
    os.utime(folder / MARKER, ns=(written.st_mtime_ns - 10**9, written.st_mtime_ns - 10**9))
    assert not look(folder, unchanged=29.0).complete
    assert look(folder, unchanged=31.0).complete


@pytest.mark.parametrize("text", ["", "{", '{"global_step": 5', "[]", "nonsense"])
def test_a_marker_that_is_not_whole_says_nothing(tmp_path: Path, text: str) -> None:
    folder = checkpoint(tmp_path / "checkpoint-500")
    (folder / MARKER).write_text(text)
    assert not look(folder, unchanged=10.0).complete


def test_a_folder_that_vanishes_is_passed_over_in_words(tmp_path: Path) -> None:
    gone = look(tmp_path / "nowhere", unchanged=60.0)
    assert not gone.complete
    assert "vanished" in gone.why


def test_weights_that_are_pickles_count_only_where_they_are_allowed(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "checkpoint-500")
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(b"PK half a file")
    assert "pickles" in look(folder, unchanged=60.0).why
    assert "whole" in look(folder, unchanged=60.0, allow_pickle=True).why


def test_its_mark_changes_with_what_is_read_and_with_nothing_else(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "checkpoint-500")
    before = complete.mark(folder)
    (folder / "optimizer.pt").write_bytes(b"x" * 100)
    assert complete.mark(folder) == before
    time = (folder / "model.safetensors").stat().st_mtime_ns
    save_file(tensors(7), folder / "model.safetensors")
    os.utime(folder / "model.safetensors", ns=(time, time))  # as a tool that keeps times does: the time of change tells
    assert complete.mark(folder) != before


def test_the_tokeniser_of_the_run_belongs_to_its_checkpoints(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "checkpoint-500")
    (folder / "vocab.txt").rename(tmp_path / "vocab.txt")
    before = complete.mark(folder)
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\nother\n")
    assert complete.mark(folder) != before
