"""A training that behaves badly: checkpoints of a few hundred bytes, whole, torn, slow, vanishing and replaced."""

from __future__ import annotations

import json
import random
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from safetensors.numpy import save

from isogloss.backend.models.files.complete import MARKER
from isogloss.backend.models.files.fingerprint import folder_fingerprint
from isogloss.backend.models.files.weights import ModelFiles

if TYPE_CHECKING:
    from collections.abc import Mapping

CONFIG = json.dumps({"model_type": "bert", "num_hidden_layers": 1, "hidden_size": 4}).encode()
VOCABULARY = b"[PAD]\n[UNK]\na\n"
LIMIT = 25
"""Folders that are left, at most."""
FATES = ("whole", "torn", "slow", "vanishing", "replaced", "half replaced")


def contents(seed: int, parts: int = 1) -> dict[str, bytes]:
    """The files of a checkpoint in the order in which the Trainer writes them; other seeds are other weights, of one size."""
    weights = np.random.default_rng(seed).standard_normal((2, 4)).astype(np.float32)
    if parts == 1:
        of = {"model.safetensors": save({"layer.0.weight": weights})}
    else:
        names = [f"model-0000{part + 1}-of-0000{parts}.safetensors" for part in range(parts)]
        of = {name: save({f"layer.0.part{part}": weights + part}) for part, name in enumerate(names)}
        index = {f"layer.0.part{part}": name for part, name in enumerate(names)}
        of["model.safetensors.index.json"] = json.dumps({"metadata": {}, "weight_map": index}).encode()
    marker = json.dumps({"global_step": seed, "log_history": []}).encode()
    return {"config.json": CONFIG, **of, "vocab.txt": VOCABULARY, MARKER: marker}


def write(folder: Path, files: Mapping[str, bytes]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def identity(folder: Path) -> str:
    """The fingerprint of a folder's content now, from its bytes: nothing is remembered."""
    from isogloss.backend.models.files import fingerprint

    fingerprint._seen.clear()
    return folder_fingerprint(ModelFiles(folder, folder.name, False))


@dataclass
class Training:
    """Writes checkpoints as a seed says, and remembers what was ever whole."""

    folder: Path
    aside: Path
    seed: int
    whole: set[str] = field(default_factory=set)
    """The fingerprints of the contents that it meant to write."""
    lasting: dict[str, str] = field(default_factory=dict)
    """Folder's name → the fingerprint of what is there, whole, when the training is over."""
    fates: dict[str, str] = field(default_factory=dict)
    drawn: int = 0
    looks: int = 0
    """How often the watcher has looked: pauses are counted in looks, so that a busy machine sees as much as an idle one."""
    over: bool = False

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)

    def run(self, checkpoints: int) -> None:
        for place in range(checkpoints):
            name, fate = f"checkpoint-{place + 1}", self.chance.choice(FATES)
            self.fates[name] = fate
            self.write(self.folder / name, fate)
            self.pause(1)
            self._forget_oldest()
        self.over = True

    def pause(self, most: int) -> None:
        """Wait for some looks, or for a part of one."""
        until = self.looks + self.chance.randint(0, most)
        time.sleep(self.chance.random() * 0.01)
        while self.looks < until and not self.over:
            time.sleep(0.001)

    def _forget_oldest(self) -> None:
        """Delete what is too much, the oldest first, as `save_total_limit` does: scored or not, and while it is copied."""
        there = sorted(self.folder.iterdir(), key=lambda path: int(path.name.split("-")[1]))
        for path in there[:-LIMIT]:
            self.lasting.pop(path.name, None)
            shutil.rmtree(path)

    def _new(self, parts: int) -> dict[str, bytes]:
        """Other weights, whose identity is known before any of it lies where it is watched."""
        self.drawn += 1
        files = contents(1000 * self.seed + self.drawn, parts)
        written = write(self.aside / "drawn", files)
        self.whole.add(identity(written))
        shutil.rmtree(written)
        return files

    def _identity(self, files: Mapping[str, bytes]) -> str:
        written = write(self.aside / "last", files)
        found = identity(written)
        shutil.rmtree(written)
        return found

    def write(self, folder: Path, fate: str) -> None:
        parts = 3 if fate == "half replaced" else self.chance.choice((1, 3))
        files = self._new(parts)
        match fate:
            case "whole":
                write(folder, files)
            case "torn":
                self._torn(folder, files)
                return
            case "slow":
                self._slowly(folder, files)
            case "vanishing":
                write(folder, files)
                self.pause(4)
                shutil.rmtree(folder)
                return
            case "replaced":
                write(folder, files)
                self.pause(6)
                files = self._new(parts)
                self._slowly(folder, files)
            case "half replaced":
                # A training that began anew is killed between two parts: what lies there is of both, and never whole.
                write(folder, files)
                self.pause(6)
                some = list(self._new(parts).items())[: self.chance.choice((2, 3))]
                write(folder, dict(some))
                shutil.rmtree(folder, ignore_errors=True) if self.chance.random() < 0.5 else (folder / MARKER).unlink()
                self._cut(folder)
                return
        self.lasting[folder.name] = self._identity(files)

    def _cut(self, folder: Path) -> None:
        """Leave half a file where a folder is left that must not count however long nothing happens to it."""
        path = folder / "model-00003-of-00003.safetensors"
        if path.exists():
            with open(path, "rb+") as opened:
                opened.truncate(path.stat().st_size - 1 - self.chance.randrange(40))

    def _torn(self, folder: Path, files: Mapping[str, bytes]) -> None:
        """Some files, the last of them cut anywhere; half of them with a marker for all that."""
        names = [name for name in files if name not in (MARKER, "vocab.txt")]
        cut = self.chance.choice(names[1:])
        some = {name: files[name] for name in names[: names.index(cut)]}
        write(folder, some)
        (folder / cut).write_bytes(files[cut][: self.chance.randrange(len(files[cut]))])
        if self.chance.random() < 0.5:
            write(folder, {"vocab.txt": VOCABULARY, MARKER: files[MARKER]})

    def _slowly(self, folder: Path, files: Mapping[str, bytes]) -> None:
        """In pieces, in place, as the libraries write: an old file of the name is cut to nothing first."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            with open(folder / name, "wb", buffering=0) as opened:
                for start in range(0, len(content), max(1, len(content) // 3)):
                    opened.write(content[start : start + max(1, len(content) // 3)])
                    if self.chance.random() < 0.2:
                        self.pause(1)
