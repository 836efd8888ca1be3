"""Whether a checkpoint that a training writes is whole: by names, sizes, times and headers, with the reason in words. No torch.

A checkpoint of `transformers.Trainer` is not written at once: weights, optimizer, then `trainer_state.json` last; then the
oldest folder is deleted. So a folder counts as complete only where its weights agree with their headers and index, and either
that last file is there and no older than they are, or somebody who wrote it says so, or nothing in it has changed for a while.
How long it has not changed is for the caller to say, who saw it before: clocks of file servers differ from one's own.
"""

from __future__ import annotations

import os
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from isogloss.backend.errors import ModelError
from isogloss.backend.files import digest, parse_json
from isogloss.backend.models.files.fits import check_fits
from isogloss.backend.models.files.headers import header
from isogloss.backend.models.files.weights import CONFIG, TOKENIZER_FILES, VOCABULARIES, ModelFiles, tokenizer_files

if TYPE_CHECKING:
    from pathlib import Path

MARKER = "trainer_state.json"
"""What the Trainer writes last."""
SETTLED_SECONDS = 1.0
"""A file that was changed and hashed within one tick of its clock could change again unseen: nothing so new is complete."""
QUIET_SECONDS = 30.0
"""Without a word that it is complete, a folder in which nothing has changed for so long is."""
LONGEST_MARKER = 64 << 20
"""Bytes: it holds what was logged at each step."""
INDEX = ".index.json"


@dataclass(frozen=True)
class Verdict:
    """Whether a folder holds a whole checkpoint, and why (not): within a sentence, after its name."""

    complete: bool
    why: str
    broken: bool = False
    """What is there does not agree, and will not until it changes."""


def mark(folder: Path) -> str:
    """Return a hash of what the files of a checkpoint that are read look like: names, sizes, times and places on the disk.

    Also of the tokeniser's in the folder above, where it has none of its own. Raises `OSError` where something vanishes.
    """
    found = [(path.name, path.stat()) for path in read_files(folder)]
    return digest([[name, each.st_size, each.st_mtime_ns, each.st_ctime_ns, each.st_ino] for name, each in found])


def read_files(folder: Path, *, allow_pickle: bool = True) -> list[Path]:
    """Return the files of a checkpoint that are there and may be read: configuration, weights, their index, tokeniser.

    One look at the folder: a training may have a thousand of them. Raises `OSError` where it is gone.
    """
    endings = (".safetensors", ".safetensors" + INDEX, *((".bin", ".bin" + INDEX) if allow_pickle else ()))
    with os.scandir(folder) as entries:
        names = {entry.name for entry in entries if entry.is_file()}
    weights = sorted(name for name in names if name.startswith(("model", "pytorch_model")) and name.endswith(endings))
    own = [folder / name for name in (CONFIG, *weights) if name in names]
    tokenizer = [folder / name for name in TOKENIZER_FILES if name in names]
    return own + (tokenizer if any(path.name in VOCABULARIES for path in tokenizer) else tokenizer_files(folder))


def look(
    folder: Path, unchanged: float, *, allow_pickle: bool = False, quiet: float = QUIET_SECONDS, announced: bool = False
) -> Verdict:
    """Say whether `folder` holds a whole checkpoint; `unchanged`: the seconds since its `mark` is seen to stay the same.

    `announced`: its writer said that it is done. Never raises for what a training may do to a folder meanwhile.
    """
    if unchanged < SETTLED_SECONDS:
        return Verdict(False, "was changed just now")
    try:
        check_whole(folder, allow_pickle=allow_pickle)
        last = not announced and _is_marked(folder)
    except ModelError as error:
        return Verdict(False, f"is not whole: {error}", broken=not isinstance(error.__cause__, OSError))
    except OSError:
        return Verdict(False, "vanished, or lost a file, while it was read")
    if announced:
        return Verdict(True, "is complete: its training says so")
    if last:
        return Verdict(True, f"is complete: {MARKER} was written after its weights")
    if unchanged < quiet:
        return Verdict(False, f"has no {MARKER} newer than its weights: it is taken once nothing changes for {quiet:g} s")
    return Verdict(True, f"is complete: nothing has changed for {quiet:g} s")


def check_whole(folder: Path, *, allow_pickle: bool = False) -> None:
    """Raise `ModelError` where configuration, headers, lengths and index of the weights do not agree, or one is lacking.

    Raises `OSError` where a file vanishes meanwhile.
    """
    files = ModelFiles(folder, f"'{folder.name}'", allow_pickle)
    weights = files.weights
    if not any(path.stat().st_size for path in weights):
        raise ModelError(f"{weights[0].name} is empty.")
    files.config, files.shape  # noqa: B018 — each reads its file, and raises
    for path in weights:
        if path.suffix == ".bin" and not zipfile.is_zipfile(path):
            raise ModelError(f"{path.name} is not a whole file of weights.")
    if weights[0].suffix == ".safetensors" and not files.tensors:
        raise ModelError(f"{weights[0].name} holds no tensor.")
    if weights[0].name not in ("model.safetensors", "pytorch_model.bin"):
        _check_index(folder, weights)
    check_fits(files)


def _check_index(folder: Path, weights: list[Path]) -> None:
    """Raise `ModelError` where the parts do not hold the very tensors that their index names; of pickles it is not asked."""
    if weights[0].suffix != ".safetensors":
        return
    index = folder / f"model.safetensors{INDEX}"
    said = parse_json(index.read_bytes())["weight_map"]
    held = {name: path.name for path in weights for name, _ in header(path)}
    if said != held:
        wrong = min({*said.items()} ^ {*held.items()})
        raise ModelError(f"{index.name} and {wrong[1][:80]} do not agree on {wrong[0][:80]!r}.")


def _is_marked(folder: Path) -> bool:
    """Return whether the Trainer's last file is whole and not older than anything that is read.

    One that is older was left by a training before: its weights are being written anew.
    """
    path = folder / MARKER
    try:
        with open(path, "rb") as opened:
            said = parse_json(opened.read(LONGEST_MARKER))
        written = path.stat().st_mtime_ns
    except (OSError, ValueError):
        return False
    own = [each for each in read_files(folder) if each.parent == folder]
    return isinstance(said, dict) and all(each.stat().st_mtime_ns <= written for each in own)
